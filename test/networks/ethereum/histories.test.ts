import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import type { ObservedBlock, ObservedTransfer } from '../../../src/domain/block.js'
import { createLog } from '../../../src/log.js'
import type { EvmEntry } from '../../../src/networks/catalogue/entry.js'
import { readerOf } from '../../../src/service/networks.js'
import { Random } from '../../simulation/random.js'
import { anvilAbsence } from '../../support/anvil.js'
import { CATALOGUE } from '../../support/catalogue.js'
import { addressNumber, EthereumChain, hex } from '../../support/ethereum-chain.js'
import { type Fault, FaultyProxy } from '../../support/faulty-proxy.js'
import { ManualClock } from '../../support/manual-clock.js'
import { certain, ether, TIMEOUT_MS, tether, watching } from './fixture.js'

const STEPS = 60
/** With that many steps every kind of question was answered, by any luck. */
const STEPS_MAX = 1000
/** One in so many requests is spoilt, and one in so many comes at a moment when the chain moves. */
const FAULT_ODDS = 8
const MOVE_ODDS = 4
/** With this flag the node calls a block safe under 4 others, and final under 8. */
const EPOCH_SLOTS = '4'
/** Fewer blocks than any of the entries takes for confirmed. */
const REORGANISATION_MAX = 7
const BLOCKS_AT_FIRST = 30
const LAG_MAX = 6
const PAUSE_MAX_MS = 120_000
/** The states that a reorganisation may go back to must be in memory. */
const FLAGS = ['--slots-in-an-epoch', EPOCH_SLOTS, '--prune-history', '256']

const OURS = [addressNumber(1), addressNumber(2)] as const
const STRANGER = addressNumber(3)
/** Addresses that a node is told, and those that are too many. */
const watchedInBothWays = watching(OURS)
const METHOD_NOT_FOUND = { error: { code: -32601, message: 'the method does not exist' } }

/** A real chain that moves by chance: blocks are mined, and replaced by others with some of their transactions. */
class RestlessChain {
  /** Every block that was ever part of the chain, by its hash. */
  readonly ever = new Map<string, ObservedBlock>()
  private readonly transfers = new Map<string, readonly ObservedTransfer[]>()
  private moving: Promise<void> = Promise.resolve()
  reorganisations = 0

  private constructor(
    readonly chain: EthereumChain,
    readonly token: string,
    private readonly random: Random,
  ) {}

  static async start({ chainId, token: { decimals } }: EvmEntry, random: Random): Promise<RestlessChain> {
    const chain = await EthereumChain.start(FLAGS, String(chainId))
    const token = await chain.deployToken(decimals, 10n ** 30n)
    for (const account of chain.accounts.slice(1)) {
      await chain.sendCall(token, 'mint(address,uint256)', [account, 10n ** 30n])
    }
    await chain.mine()
    const restless = new RestlessChain(chain, token, random)
    await restless.remember(0)
    for (let n = 0; n < BLOCKS_AT_FIRST; n += 1) await restless.mine()
    return restless
  }

  /** One move after the other, whoever asks for them. */
  move(): Promise<void> {
    this.moving = this.moving.then(() => (this.random.below(3) === 0 ? this.reorganise() : this.mine()))
    return this.moving
  }

  private async mine(): Promise<void> {
    const { chain, random } = this
    for (let n = random.below(4); n > 0; n -= 1) await this.pay()
    await chain.mine()
    await this.remember(await chain.height())
  }

  private async pay(): Promise<void> {
    const { chain, random, token } = this
    const from = chain.account(random.below(chain.accounts.length))
    const to = random.pick([...OURS, STRANGER] as const)
    const amount = BigInt(random.between(1, 20))
    const isOurs = to !== STRANGER
    switch (random.pick(['coin', 'token', 'many', 'failing'] as const)) {
      case 'coin': {
        const hash = await chain.send({ from, to, value: amount * 10n ** 18n })
        this.transfers.set(hash, isOurs ? [ether(hash, to, String(amount))] : [])
        break
      }
      case 'token': {
        const hash = await chain.sendCall(token, 'transfer(address,uint256)', [to, amount], { from })
        this.transfers.set(hash, isOurs ? [tether(hash, 1, to, amount)] : [])
        break
      }
      case 'many': {
        const receivers = [STRANGER, ...OURS]
        const hash = await chain.sendCall(token, 'transferToMany(address[],uint256)', [receivers, amount], { from })
        const told = OURS.map((one, i) => tether(hash, i + 2, one, amount))
        this.transfers.set(hash, told)
        break
      }
      case 'failing':
        this.transfers.set(await chain.sendCall(token, 'transferAndFail(address,uint256)', [to, amount], { from }), [])
    }
  }

  /** Of each sender all replaced transactions are included again, or none: their numbers follow each other. */
  private async reorganise(): Promise<void> {
    const { chain, random } = this
    const height = await chain.height()
    const depth = random.between(1, REORGANISATION_MAX)
    const bySender = new Map<string, string[]>()
    for (let at = height - depth + 1; at <= height; at += 1) {
      for (const { hash, from } of await this.transactionsAt(at)) {
        bySender.set(from, [...(bySender.get(from) ?? []), hash])
      }
    }
    const place = random.below(depth)
    const included: (readonly [unknown, number])[] = []
    for (const hashes of bySender.values()) {
      if (random.chance(1 / 2)) continue
      for (const hash of hashes) included.push([await chain.node.call('eth_getRawTransactionByHash', hash), place])
    }
    await chain.node.call('anvil_reorg', depth, included)
    this.reorganisations += 1
    await this.remember(height - depth + 1)
  }

  private async transactionsAt(height: number) {
    const block = await this.chain.node.call('eth_getBlockByNumber', hex(BigInt(height)), true)
    return (block as { transactions: readonly { hash: string; from: string }[] }).transactions
  }

  private async remember(from: number): Promise<void> {
    for (let height = from; height <= (await this.chain.height()); height += 1) {
      const { hash, parentHash, timestamp } = (await this.chain.block(height)) ?? assert.fail()
      const transactions = await this.transactionsAt(height)
      const transfers = transactions.flatMap((one) => this.transfers.get(one.hash) ?? [])
      const timeMs = Number(timestamp) * 1000
      this.ever.set(hash, { height, hash, parentHash, timeMs, timeEndMs: timeMs + 999, transfers })
    }
  }

  /** What a block has to be: one that was part of the chain, and where it is confirmed, one that still is. */
  async assertTrue(block: ObservedBlock, confirmed: number): Promise<void> {
    await this.moving
    assert.deepEqual(block, this.ever.get(block.hash) ?? assert.fail(`never part of the chain: ${block.hash}`))
    if (block.height <= confirmed) assert.equal(block.hash, (await this.chain.block(block.height))?.hash)
  }
}

type Spoil = (response: ServerResponse, text: string) => void

/** A node that lags, fails and refuses by chance, while its chain moves. */
function faultBy(random: Random, restless: RestlessChain): Fault {
  const spoil: readonly [Spoil, ...Spoil[]] = [
    (response) => response.writeHead(500).end(),
    (response) => response.writeHead(429, { 'retry-after': '1' }).end(),
    (response) => response.destroy(),
    (response, text) => response.end(text.slice(0, text.length / 2)),
    (response) => response.end('[]'),
  ]
  return {
    answer: (response, text) => {
      if (random.below(FAULT_ODDS) !== 0) return false
      random.pick(spoil)(response, text)
      return true
    },
    alter: async ({ method, params }, end, forward) => {
      if (random.below(MOVE_ODDS) === 0) await restless.move()
      if (random.below(FAULT_ODDS) !== 0) return end
      if (method === 'eth_getBlockReceipts') return METHOD_NOT_FOUND
      if (method !== 'eth_getBlockByNumber') return { result: null }
      if (params[0] !== 'latest') return { result: null }
      const behind = Math.max(0, (await restless.chain.height()) - random.below(LAG_MAX))
      return { result: await forward(method, [hex(BigInt(behind)), params[1]]) }
    },
  }
}

/** Asks at random, of nodes that lag and fail at random, while the chain moves. Returns how much was answered. */
async function play(entry: EvmEntry, seed: number) {
  const random = new Random(seed)
  const restless = await RestlessChain.start(entry, random)
  const proxies = [await FaultyProxy.start(restless.chain.node.url), await FaultyProxy.start(restless.chain.node.url)]
  const clock = new ManualClock(Date.now())
  const token = { ...entry.token, contract: restless.token }
  const urls = proxies.map(({ url }) => url)
  const reader = readerOf(
    { ...entry, token, urls },
    { settings: { nodeTimeoutMs: TIMEOUT_MS }, clock, log: createLog('silent'), patienceMs: 0 },
  )
  assert.ok(reader !== null)
  try {
    for (const proxy of proxies) proxy.fault = faultBy(random, restless)
    let confirmed = -1
    const answered = { head: 0, block: 0, fresh: 0, blocks: 0 }
    const isComplete = () => Object.values(answered).every((count) => count > 0)
    for (let step = 0; step < STEPS || (step < STEPS_MAX && !isComplete()); step += 1) {
      clock.advance(random.below(PAUSE_MAX_MS))
      const latest = await restless.chain.height()
      const height = latest - random.below(BLOCKS_AT_FIRST)
      const watched = random.pick(watchedInBothWays)
      const kind = random.pick(['head', 'block', 'fresh', 'blocks'] as const)
      if (kind === 'head') {
        const head = (await certain(reader.head()))?.value
        if (head === undefined) continue
        assert.ok(head.confirmed <= head.latest && head.latest <= (await restless.chain.height()))
        assert.ok(head.confirmed <= (await restless.chain.height()) - REORGANISATION_MAX)
        confirmed = Math.max(confirmed, head.confirmed)
      } else {
        const from = kind === 'blocks' ? Math.min(height, confirmed) : height
        if (from < 0) continue
        const to = kind === 'blocks' ? confirmed : latest
        const asked: Promise<readonly ObservedBlock[]> =
          kind === 'block'
            ? reader.block(from, watched).then((block) => (block === null ? [] : [block]))
            : reader[kind](from, to, watched)
        const answer = await certain(asked)
        if (answer === null) continue
        assert.ok(kind !== 'blocks' || answer.value.length > 0)
        for (const [i, block] of answer.value.entries()) {
          assert.equal(block.height, from + i)
          assert.ok(i === 0 || block.parentHash === answer.value[i - 1]?.hash, 'blocks of two branches')
          await restless.assertTrue(block, confirmed)
        }
      }
      answered[kind] += 1
    }
    // A move that failed fails here.
    await restless.move()
    assert.ok(restless.reorganisations > 0)
    return answered
  } finally {
    await reader.close()
    for (const proxy of proxies) await proxy.close()
    await restless.chain.stop()
  }
}

describe('Ethereum reader of a restless chain with faulty nodes', { skip: anvilAbsence }, () => {
  const entries = CATALOGUE.filter((entry) => entry.kind === 'evm')
  for (const [i, entry] of entries.entries()) {
    test(`${entry.id}, seed ${i + 1}: whatever it tells is true`, async (t) => {
      const answered = await play(entry, i + 1)
      t.diagnostic(JSON.stringify(answered))
      for (const [kind, count] of Object.entries(answered)) assert.ok(count > 0, `no ${kind} was answered`)
    })
  }
})
