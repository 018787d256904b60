import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import type { ObservedBlock } from '../../../src/domain/block.js'
import { createLog } from '../../../src/log.js'
import type { EvmEntry } from '../../../src/networks/catalogue/entry.js'
import { readerOf } from '../../../src/service/networks.js'
import { Random } from '../../simulation/random.js'
import { type EthereumChain, hex } from '../../support/ethereum-chain.js'
import type { EvmNode } from '../../support/evm-node.js'
import { type Fault, FaultyProxy } from '../../support/faulty-proxy.js'
import { ManualClock } from '../../support/manual-clock.js'
import { HastyScheduler } from '../hasty-scheduler.js'
import { certain, TIMEOUT_MS, watching } from './fixture.js'
import { BLOCKS_AT_FIRST, OURS, REORGANISATION_MAX, RestlessChain } from './restless-chain.js'

const STEPS = 60
/** With that many steps every kind of question was answered, by any luck. */
const STEPS_MAX = 1000
/** One in so many requests is spoilt, and one in so many comes at a moment when the chain moves. */
const FAULT_ODDS = 8
const MOVE_ODDS = 4
const LAG_MAX = 6
const PAUSE_MAX_MS = 120_000
/** Addresses that a node is told, and those that are too many. */
const watchedInBothWays = watching(OURS)
const METHOD_NOT_FOUND = { error: { code: -32601, message: 'the method does not exist' } }

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

/**
 * Asks at random, of nodes that lag and fail at random, while the chain moves. Whatever is answered has to be true.
 * Returns how much was answered. The node's chain has nothing but its first block, and its finality trails by more than
 * `REORGANISATION_MAX` where the entry relies on it. `steps` questions are asked, and more until each kind was answered.
 */
export async function playNodeHistory(chain: EthereumChain<EvmNode>, entry: EvmEntry, seed: number, steps = STEPS) {
  const random = new Random(seed)
  const restless = await RestlessChain.on(chain, entry, random)
  const proxies = [await FaultyProxy.start(restless.chain.node.url), await FaultyProxy.start(restless.chain.node.url)]
  const clock = new ManualClock(Date.now())
  const tokens = entry.tokens.slice(0, 1).map((token) => ({ ...token, contract: restless.token }))
  const urls = proxies.map(({ url }) => url)
  const reader = readerOf(
    { ...entry, tokens, urls },
    {
      settings: { nodeTimeoutMs: TIMEOUT_MS },
      clock,
      log: createLog('silent'),
      patienceMs: 0,
      scheduler: new HastyScheduler(clock, TIMEOUT_MS),
    },
  )
  assert.ok(reader !== null)
  try {
    for (const proxy of proxies) proxy.fault = faultBy(random, restless)
    let confirmed = -1
    const answered = { head: 0, block: 0, fresh: 0, blocks: 0 }
    const isComplete = () => Object.values(answered).every((count) => count > 0)
    for (let step = 0; step < steps || (step < STEPS_MAX && !isComplete()); step += 1) {
      clock.advance(random.below(PAUSE_MAX_MS))
      const latest = await restless.height()
      const height = latest - random.below(BLOCKS_AT_FIRST)
      const watched = random.pick(watchedInBothWays)
      const kind = random.pick(['head', 'block', 'fresh', 'blocks'] as const)
      if (kind === 'head') {
        const head = (await certain(reader.head()))?.value
        if (head === undefined) continue
        assert.ok(head.confirmed <= head.latest && head.latest <= (await restless.height()))
        assert.ok(head.confirmed <= (await restless.height()) - REORGANISATION_MAX)
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
  }
}
