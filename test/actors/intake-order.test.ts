import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Intake } from '../../src/actors/intake.js'
import type { WalletDirectory } from '../../src/actors/wallet-directory.js'
import type { LedgerEvent } from '../../src/store/ledger.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import { depositFact, walletCreated } from '../support/fixtures.js'

const keys = (eventId: string, identity: string, key: string) => {
  return { eventId, fact: { type: 'identity.keys', identity, keys: [key] } } as const
}

test('keys of an identity are not told while earlier ones of it have failed: those would count when they are repeated', async () => {
  const told: (string | null)[] = []
  const ledger = {
    applyFacts: async (batch: readonly LedgerEvent[]) =>
      batch.map(({ eventId }) => {
        told.push(eventId)
        return eventId === 'e2'
          ? ({ status: 'rejected', reason: new Error('the connection was lost') } as const)
          : ({ status: 'fulfilled', value: { status: 'applied' } } as const)
      }),
  }
  const intake = new Intake(ledger, {} as WalletDirectory, () => {})
  const events = [keys('e1', 'bob', 'A'), keys('e2', 'alice', 'A'), keys('e3', 'carol', 'A'), keys('e4', 'alice', 'B')]
  await assert.rejects(intake.apply(events), /the connection was lost/)
  assert.deepEqual(told, ['e1', 'e2', 'e3'])
})

/** An intake whose directory answers what a test says, and what it was handed. */
function heard(fateOf: (txHash: string) => PromiseSettledResult<unknown>) {
  const calls: string[][] = []
  const directory = {
    recordDeposits: async (deposits: Parameters<WalletDirectory['recordDeposits']>[0]) => {
      const names = deposits.map(({ fact, aside }) => fact.sighting.txHash + (aside === undefined ? '' : ' aside'))
      calls.push(names)
      return names.map(fateOf)
    },
  } as unknown as WalletDirectory
  const ledger = {
    applyFacts: async (batch: readonly LedgerEvent[]) => {
      calls.push(batch.map(({ fact }) => fact.type))
      return batch.map(() => ({ status: 'fulfilled', value: { status: 'applied' } }) as const)
    },
  }
  return { calls, intake: new Intake(ledger, directory, () => {}) }
}

const RECORDED = { status: 'fulfilled', value: { type: 'deposit', outcome: { status: 'applied' }, owed: [] } } as const
const paid = (txHash: string) => ({
  eventId: null,
  fact: depositFact('confirmed', { txHash, toAddress: `to ${txHash}` }),
})

test('deposits of a push are handed on together and in order, and what is no deposit comes between them in its place', async () => {
  const { calls, intake } = heard(() => RECORDED)
  const created = { eventId: null, fact: walletCreated('w') }
  await intake.apply([paid('1'), paid('2'), created, created, paid('3'), paid('4')])
  assert.deepEqual(calls, [
    ['1', '2'],
    ['wallet.created', 'wallet.created'],
    ['3', '4'],
  ])
})

test('of many deposits, those behind the first ones wait until these are durable, and are not recorded when these are not', async () => {
  const all = Array.from({ length: 1000 }, (_, n) => `${n}`)
  const sound = heard(() => RECORDED)
  await sound.intake.apply(all.map(paid))
  assert.deepEqual(sound.calls.flat(), all)
  assert.ok(sound.calls.length > 1 && sound.calls.every((call) => call.length <= 256))
  const full: PromiseRejectedResult = {
    status: 'rejected',
    reason: new StorageUnavailable(new Error('the disk is full')),
  }
  const broken = heard((txHash) => (txHash === '200' ? full : RECORDED))
  await assert.rejects(broken.intake.apply(all.map(paid)), StorageUnavailable)
  assert.equal(broken.calls.length, 1)
})
