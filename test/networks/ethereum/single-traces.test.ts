import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EthereumFilter } from '../../../src/networks/ethereum/filter.js'
import { SingleTraces } from '../../../src/networks/ethereum/single-traces.js'
import { HttpFailure, NodeFailure, RateLimited, RpcFailure } from '../../../src/networks/node/answer.js'
import type { JsonRpc, RpcCall } from '../../../src/networks/node/json-rpc.js'
import { SLOW_TRIED_AGAIN_MS, TRIED_AGAIN_FIRST_MS } from '../../../src/networks/node/shortcomings.js'
import { ManualClock } from '../../support/manual-clock.js'

const FILTER = new EthereumFilter([], { has: () => true, few: () => null }, false)
const TIMEOUT = new HttpFailure('timeout', 'too late')
const ERROR = new RpcFailure(-32_000, 'execution timeout')

/** A node that takes batches, of which one fails when one of its calls does. */
class Node implements Pick<JsonRpc, 'all' | 'batchWidth'> {
  batchWidth = 8
  readonly failing = new Map<string, NodeFailure>()
  /** The transactions of each request. */
  requests: (readonly string[])[] = []

  async all<T, R>(calls: readonly RpcCall[], _: unknown, take: (result: T, i: number) => R): Promise<readonly R[]> {
    const taken: R[] = []
    for (let from = 0; from < calls.length; from += this.batchWidth) {
      const hashes = calls.slice(from, from + this.batchWidth).map(({ params }) => String(params[0]))
      this.requests.push(hashes)
      for (const hash of hashes) {
        const failure = this.failing.get(hash)
        if (failure !== undefined) throw failure
      }
      for (const i of hashes.keys()) taken.push(take({ type: 'STOP' } as T, from + i))
    }
    return await Promise.resolve(taken)
  }
}

function hashes(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `tx-${i}`)
}

function untraced(ends: readonly unknown[]): number[] {
  return [...ends.keys()].filter((i) => ends[i] instanceof NodeFailure)
}

describe('transactions that are traced one by one', () => {
  test('few do not wait for each other', async () => {
    const node = new Node()
    node.failing.set('tx-3', TIMEOUT)
    const ends = await new SingleTraces(node, new ManualClock()).of(hashes(16), FILTER)
    assert.deepEqual(untraced(ends), [3])
    assert.deepEqual(new Set(node.requests.map(({ length }) => length)), new Set([1]))
  })

  test('many come in batches, and only those of a batch that fails are asked for each by itself', async () => {
    const node = new Node()
    node.failing.set('tx-3', ERROR)
    const ends = await new SingleTraces(node, new ManualClock()).of(hashes(100), FILTER)
    assert.deepEqual(untraced(ends), [3])
    assert.ok(node.requests.length < 40, `${node.requests.length} requests`)
  })

  test('are given up when several have failed, and the others are asked for the next time', async () => {
    const [node, clock] = [new Node(), new ManualClock()]
    const all = hashes(16)
    for (const hash of all) node.failing.set(hash, TIMEOUT)
    const singles = new SingleTraces(node, clock)
    const first = await singles.of(all, FILTER)
    assert.deepEqual(untraced(first), [...all.keys()])
    const asked = node.requests.flat()
    assert.ok(asked.length >= 4 && asked.length < 8, `${asked.length} were asked for`)
    for (const hash of asked) singles.note(hash, TIMEOUT)
    node.requests = []
    node.failing.clear()
    assert.deepEqual(untraced(await singles.of(all, FILTER)).length, asked.length)
    assert.deepEqual(
      node.requests.flat(),
      all.filter((hash) => !asked.includes(hash)),
    )
  })

  for (const [failure, leftAloneMs] of [
    [TIMEOUT, SLOW_TRIED_AGAIN_MS],
    [ERROR, TRIED_AGAIN_FIRST_MS],
  ] as const) {
    test(`one that failed is not asked for again for ${leftAloneMs} ms: ${failure.message}`, async () => {
      const [node, clock] = [new Node(), new ManualClock()]
      node.failing.set('tx-0', failure)
      const singles = new SingleTraces(node, clock)
      singles.note('tx-0', failure)
      clock.advance(leftAloneMs - 1)
      assert.deepEqual(untraced(await singles.of(hashes(1), FILTER)), [0])
      assert.deepEqual(node.requests, [])
      clock.advance(1)
      node.failing.clear()
      assert.deepEqual(untraced(await singles.of(hashes(1), FILTER)), [])
    })
  }

  test('a refusal of the rate is none of one transaction', async () => {
    const node = new Node()
    node.failing.set('tx-0', new RateLimited('too many requests'))
    await assert.rejects(new SingleTraces(node, new ManualClock()).of(hashes(2), FILTER), RateLimited)
  })
})
