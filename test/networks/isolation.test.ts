import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Intake } from '../../src/actors/intake.js'
import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import type { Network } from '../../src/domain/network.js'
import { createLog } from '../../src/log.js'
import { ChainWatcher } from '../../src/networks/chain-watcher.js'
import { type NetworkReader, NodeUnavailable, WrongNode } from '../../src/networks/network-reader.js'
import { Random } from '../simulation/random.js'
import { addressOf, walletAssigned, walletCreated } from '../support/fixtures.js'
import { openLmdbHarness } from '../support/lmdb-harness.js'
import { NoticedScheduler } from './noticed-scheduler.js'
import { SimulatedChain } from './simulated-chain.js'
import { SimulatedReader } from './simulated-reader.js'
import { POLL_MS } from './watcher-fixture.js'

const BLOCKS = 50

describe('a network in trouble beside another one', () => {
  const never = () => new Promise<never>(() => {})
  const troubles: readonly (readonly [string, Partial<NetworkReader>])[] = [
    ['whose head never comes', { head: never }],
    ['whose blocks never come', { blocks: never, block: never, fresh: never }],
    ['whose nodes fail', { head: () => Promise.reject(new NodeUnavailable('no')) }],
    ['whose node is of another chain', { head: () => Promise.reject(new WrongNode('another chain')) }],
    ['of which a defect shows', { head: () => Promise.reject(new TypeError('a defect')) }],
  ]
  for (const [what, methods] of troubles) {
    test(`${what} delays no deposit of the other`, async () => {
      const harness = await openLmdbHarness()
      const { store, clock } = harness
      const facts = [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]
      await store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
      // What networks share: the store, the mailboxes and the intake.
      const intake = new Intake(store.ledger, new WalletDirectory(store), () => {})
      const open = (network: Network, broken: Partial<NetworkReader>) => {
        const chain = new SimulatedChain(3)
        const sound = new SimulatedReader(chain, new Random(1))
        const reader = Object.assign(Object.create(sound) as SimulatedReader, broken, { network })
        const scheduler = new NoticedScheduler()
        const { decimals } = store.networks
        const options = { ...store, decimals, intake, clock, scheduler, random: () => 0, log: createLog('silent') }
        const watcher = new ChainWatcher({
          ...options,
          reader,
          start: 0,
          skipAfterMs: 0,
          pollMs: POLL_MS,
          tipCheckMs: POLL_MS,
          settings: '',
        })
        return { chain, watcher, scheduler }
      }
      const troubled = open('TRX-NILE', methods)
      const sound = open('SEP', {})
      const pay = ({ chain }: typeof sound) => {
        for (let n = 0; n < BLOCKS; n += 1) {
          const transfer = { index: 0, toAddress: addressOf('wallet-1'), currency: '#native', amount: '1' }
          chain.mine([{ ...transfer, txHash: `tx-${n}` }])
        }
      }
      pay(troubled)
      pay(sound)
      await troubled.watcher.start()
      await sound.watcher.start()
      await sound.scheduler.waited()
      for (let n = 0; n < BLOCKS; n += 1) {
        const deposit = await store.deposits.find('SEP', `tx-${n}`, 0)
        assert.equal(deposit?.kind, n < BLOCKS - 2 ? 'confirmed' : 'pending', `deposit ${n}`)
      }
      assert.equal(sound.watcher.state().failures, 0)
      assert.equal(sound.watcher.state().problem, null)
      assert.equal(troubled.watcher.state().position, null)
      await sound.watcher.stop()
      await harness.discard()
    })
  }
})
