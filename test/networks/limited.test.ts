import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { Intake } from '../../src/actors/intake.js'
import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import type { Clock } from '../../src/clock.js'
import type { Network } from '../../src/domain/network.js'
import { createLog } from '../../src/log.js'
import { QUIET_SECONDS } from '../../src/networks/catalogue/entry.js'
import { ChainWatcher } from '../../src/networks/chain-watcher.js'
import { EthereumNode } from '../../src/networks/ethereum/node.js'
import type { ChainNode } from '../../src/networks/node/chain-node.js'
import type { HttpJson } from '../../src/networks/node/http-json.js'
import { NodesReader } from '../../src/networks/node/nodes-reader.js'
import { TronNode } from '../../src/networks/tron/node.js'
import { anvilAbsence } from '../support/anvil.js'
import { addressNumber, EthereumChain } from '../support/ethereum-chain.js'
import { walletAssigned } from '../support/fixtures.js'
import { openLmdbHarness } from '../support/lmdb-harness.js'
import { EmulatedTronChain } from '../support/tron-chain.js'
import { openTronNode } from '../support/tron-node.js'
import { emulatedAccount, trxTransfer, vote } from '../support/tron-transactions.js'
import { ANSWER_LIMIT_BYTES, CHAIN_ID, evmToken } from './ethereum/fixture.js'
import { bucket, from, LimitedNode, type Limiter, suspending } from './limited-node.js'
import { ALICE, addresses, TOKEN, token, tronToken } from './tron/fixture.js'
import { VirtualTime } from './virtual-time.js'

const ROUND_TRIP_MS = 150
/** No other delay of a reader or a watcher is just as long, so it tells the requests that are under way. */
const TIMEOUT_MS = 19_999
/** Turns of the loop in which nothing has happened. What happens at once takes less. */
const SETTLED_TURNS = 5
const LATER_MAX_MS = 60_000
const PAYMENTS = 6
/** Another number of blocks than any period of the limiters. */
const BLOCKS_PER_PAYMENT = { evm: 3, tron: 7 }
const CONFIRMATIONS = 3
const TRON_CONFIRMATIONS = 19

/** A chain whose blocks come in virtual time. */
interface Chain {
  readonly network: Network
  readonly url: string
  readonly address: string
  readonly pollMs: number
  /** Near its last confirmed block: what is measured is not the catching up. */
  readonly start: number
  readonly blockMs: number
  readonly blocksPerPayment: number
  readonly confirmations: number
  readonly quietSeconds: number
  readonly nodeOf: (http: HttpJson) => ChainNode
  /** Makes the next block, with a payment or without; answers the transaction that pays. */
  produce(atMs: number, isPaying: boolean): Promise<string | null>
  close(): Promise<void>
}

async function openTron(startMs: number, clock: Clock): Promise<Chain> {
  const chain = new EmulatedTronChain(startMs)
  const produce = (isPaying: boolean) => {
    const payment = isPaying ? trxTransfer(ALICE, 5n) : null
    // Every block has something in it, so that the receipts of each are needed.
    chain.produce(trxTransfer(emulatedAccount(7), 1n), vote(), ...(payment === null ? [] : [payment]))
    return payment?.id ?? null
  }
  for (let n = 0; n < 40; n += 1) produce(false)
  const node = await openTronNode(chain, token)
  const genesisId = chain.blocks[0]?.hash ?? ''
  const options = { tokens: [tronToken('USDT', TOKEN)], genesisId, clock, warn: () => {} }
  return {
    network: 'TRX-NILE',
    url: node.url,
    address: addresses[0] ?? '',
    pollMs: 3000,
    blockMs: 3000,
    blocksPerPayment: BLOCKS_PER_PAYMENT.tron,
    confirmations: TRON_CONFIRMATIONS,
    quietSeconds: QUIET_SECONDS.tron,
    start: chain.blocks.length - TRON_CONFIRMATIONS,
    nodeOf: (http) => new TronNode(http, options),
    produce: async (_, isPaying) => produce(isPaying),
    close: () => node.close(),
  }
}

async function openEvm(startMs: number, clock: Clock): Promise<Chain> {
  const chain = await EthereumChain.start(['--timestamp', String(Math.floor(startMs / 1000) - 1000)])
  const contract = await chain.deployToken()
  const address = addressNumber(1)
  const produce = async (atMs: number, isPaying: boolean) => {
    const hash = isPaying ? await chain.send({ to: address, value: 10n ** 18n }) : null
    await chain.send({ to: addressNumber(2), value: 1n })
    await chain.node.call('evm_setNextBlockTimestamp', Math.floor(atMs / 1000))
    await chain.mine()
    return hash
  }
  for (let n = 0; n < 10; n += 1) await produce(startMs + n * 12_000, false)
  const options = {
    chainId: CHAIN_ID,
    tokens: [evmToken('USDT', contract)],
    confirmation: CONFIRMATIONS,
    batchMax: 50,
    rangeMax: 200,
    traces: false,
    clock,
    warn: () => {},
  }
  return {
    network: 'SEP',
    url: chain.node.url,
    address,
    pollMs: 4000,
    blockMs: 12_000,
    blocksPerPayment: BLOCKS_PER_PAYMENT.evm,
    confirmations: CONFIRMATIONS,
    quietSeconds: QUIET_SECONDS.evm,
    start: (await chain.height()) - CONFIRMATIONS,
    nodeOf: (http) => new EthereumNode(http, options),
    produce,
    close: () => chain.stop(),
  }
}

interface Watched {
  /** How long after its block each payment was confirmed; null where it was not. */
  readonly delaysMs: readonly (number | null)[]
  readonly served: number
  readonly refused: number
  /** What was said to be wrong with the network in the second half. */
  readonly problems: ReadonlySet<string>
}

/** Watches a chain with payments through a node with a limit, from the first call on or from some time on. */
async function watch(
  open: (startMs: number, clock: Clock) => Promise<Chain>,
  limiterOf: (startMs: number) => Limiter,
): Promise<Watched> {
  const harness = await openLmdbHarness()
  const { store, clock } = harness
  const time = new VirtualTime(clock)
  const startMs = clock.now()
  const chain = await open(startMs, clock)
  const { network, address, pollMs, blockMs } = chain
  clock.advance(40 * 3000)
  const node = await LimitedNode.open(chain.url, time, ROUND_TRIP_MS)
  node.limiter = limiterOf(clock.now())
  await store.ledger.applyFacts(
    [{ type: 'wallet.created', id: 'wallet-1', address, network } as const, walletAssigned('wallet-1', 'alice')].map(
      (fact) => ({ eventId: null, fact }),
    ),
  )
  const log = createLog('silent')
  const reader = new NodesReader({
    network,
    addresses: [{ url: node.url }],
    nodeOf: chain.nodeOf,
    headAgeMaxMs: chain.quietSeconds * 1000,
    timeoutMs: TIMEOUT_MS,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    clock: time,
    scheduler: time,
    random: () => 0.5,
    log,
  })
  const watcher = new ChainWatcher({
    reader,
    chain: store.chain,
    deposits: store.deposits,
    aside: store.aside,
    decimals: store.networks.decimals,
    skipAfterMs: 0,
    invoices: store.invoices,
    settings: '',
    intake: new Intake(store.ledger, new WalletDirectory(store), () => {}),
    clock: time,
    scheduler: time,
    random: () => 0.5,
    log,
    start: chain.start,
    pollMs,
    tipCheckMs: 15_000,
  })
  /** Until everything that goes on waits for time to pass. */
  const settle = async () => {
    for (let turns = 0; turns < SETTLED_TURNS; turns += 1) {
      await nextTurnOfLoop()
      const { such: underWay, others } = time.waiting(TIMEOUT_MS)
      if (underWay !== node.held || others === 0) turns = 0
    }
  }
  const starting = watcher.start()
  const problems = new Set<string>()
  const paid: { readonly txHash: string; readonly atMs: number; confirmedMs: number | null }[] = []
  let blocks = 0
  let nextBlockMs = clock.now() + blockMs
  const blocksMax = PAYMENTS * chain.blocksPerPayment + chain.confirmations + Math.ceil((2 * LATER_MAX_MS) / blockMs)
  while (blocks < blocksMax && (paid.length < PAYMENTS || paid.some(({ confirmedMs }) => confirmedMs === null))) {
    await settle()
    for (const payment of paid) {
      if (payment.confirmedMs !== null) continue
      const deposit = await store.deposits.find(network, payment.txHash, 0)
      if (deposit?.kind === 'confirmed') payment.confirmedMs = clock.now()
    }
    const { problem } = watcher.state()
    if (problem !== null && blocks > blocksMax / 2) problems.add(problem.reason)
    if (time.nextMs < nextBlockMs) {
      time.pass(time.nextMs)
      continue
    }
    time.pass(nextBlockMs)
    const isPaying = paid.length < PAYMENTS && blocks % chain.blocksPerPayment === 0
    const txHash = await chain.produce(nextBlockMs, isPaying)
    if (txHash !== null) paid.push({ txHash, atMs: nextBlockMs, confirmedMs: null })
    blocks += 1
    nextBlockMs += blockMs
  }
  let isStopped = false
  const stopped = watcher.stop().finally(() => {
    isStopped = true
  })
  while (!isStopped) {
    await nextTurnOfLoop()
    if (time.nextMs < Number.POSITIVE_INFINITY) time.pass(time.nextMs)
  }
  await Promise.all([starting, stopped])
  await node.close()
  await chain.close()
  await harness.discard()
  const delaysMs = paid.map(({ atMs, confirmedMs }) => (confirmedMs === null ? null : confirmedMs - atMs))
  return { delaysMs, served: node.served, refused: node.refused, problems }
}

/** Some time after the beginning, between two blocks. */
const LATER_MS = 31_000

const limiters: readonly (readonly [string, (nowMs: number) => Limiter])[] = [
  ['one call a second, one by one', () => bucket(1, 1)],
  ['one call a second, ten at once', () => bucket(1, 10)],
  ['one call in two seconds', () => bucket(0.5, 1)],
  ['three calls a second', () => bucket(3, 3)],
  ['one call a second, else suspended for 30 s', () => suspending(1, 30_000)],
  ['five calls a second, else suspended for 30 s', () => suspending(5, 30_000)],
  ['one call a second from some time on', (nowMs) => from(nowMs + LATER_MS, bucket(1, 1))],
  [
    'one call a second, else suspended for 30 s, from some time on',
    (nowMs) => from(nowMs + LATER_MS, suspending(1, 30_000)),
  ],
]

const chains = [
  ['TRON', openTron, false],
  ['an EVM chain with blocks of 12 s', openEvm, anvilAbsence],
] as const

for (const [name, open, skip] of chains) {
  describe(`a payment on ${name} through one node that limits the rate`, { skip, timeout: 300_000 }, () => {
    let unlimited: Promise<Watched> | null = null
    for (const [limit, limiterOf] of limiters) {
      test(`to ${limit} is confirmed at most a minute later`, async (t) => {
        unlimited ??= watch(open, () => () => null)
        const free = await unlimited
        const { delaysMs, served, refused, problems } = await watch(open, limiterOf)
        const lateMs = delaysMs.map((delayMs, i) => (delayMs ?? Number.POSITIVE_INFINITY) - (free.delaysMs[i] ?? 0))
        t.diagnostic(
          `${lateMs.map((ms) => Math.round(ms / 1000)).join(' ')} s later; ${served} served, ${refused} refused ${[...problems]}`,
        )
        assert.equal(lateMs.length, PAYMENTS)
        assert.ok(Math.max(...lateMs) <= LATER_MAX_MS, String(lateMs))
      })
    }
  })
}
