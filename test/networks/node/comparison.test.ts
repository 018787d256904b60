import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { ObservedBlock } from '../../../src/domain/block.js'
import { millisecond } from '../../../src/domain/received-at.js'
import { createLog } from '../../../src/log.js'
import { NetworkProblem, NodeBehind } from '../../../src/networks/network-reader.js'
import { BadAnswer } from '../../../src/networks/node/answer.js'
import type { ChainNode } from '../../../src/networks/node/chain-node.js'
import { COMPARISON_WAIT_MS, NodesReader } from '../../../src/networks/node/nodes-reader.js'
import { wakefulScheduler } from '../../../src/scheduler.js'
import { ManualClock } from '../../support/manual-clock.js'

const HEAD_AGE_MAX_MS = 60_000
const WIDTH = 3

/** What one node of these tests has. */
interface NodeView {
  readonly blocks: ObservedBlock[]
  latest: number
  timeMs: number
  isAway: boolean
}

/** The index of a transfer that some sound nodes do not tell. */
const OF_CONTRACT = 9
const paid = { txHash: 'tx', index: 0, toAddress: 'us', currency: '#native', amount: '1' }

function chainOf(count: number): ObservedBlock[] {
  return Array.from({ length: count }, (_, height) => ({
    height,
    hash: `hash-${height}`,
    parentHash: `hash-${height - 1}`,
    ...millisecond(height),
    transfers: height === 1 ? [paid] : [],
  }))
}

describe('confirmed blocks, compared with a second node', () => {
  let clock: ManualClock
  let views: readonly [NodeView, NodeView, NodeView]
  let readers: NodesReader[]
  /** Blocks that nodes were asked for in full, by node. */
  let reads: string[]

  beforeEach(() => {
    clock = new ManualClock()
    reads = []
    readers = []
    const view = () => ({ blocks: chainOf(500), latest: 499, timeMs: clock.now(), isAway: false })
    views = [view(), view(), view()]
  })
  afterEach(async () => {
    for (const reader of readers) await reader.close()
  })

  function nodeOf(i: number): ChainNode {
    const view = views[i] ?? assert.fail('no such node')
    const answer = <T>(value: T): Promise<T> =>
      view.isAway ? Promise.reject(new BadAnswer('away')) : Promise.resolve(value)
    return {
      check: () => answer(undefined),
      head: () => answer({ latest: view.latest, confirmed: view.latest, timeMs: view.timeMs }),
      timeOf: (height) => answer(view.blocks[height]?.timeMs ?? null),
      block: (height) => {
        reads.push(`${i}: ${height}`)
        return answer(view.blocks[height] ?? null)
      },
      examine: () => answer([]),
      fresh: () => answer([]),
      blocks: (from, to) => answer(view.blocks.slice(from, Math.min(to + 1, from + WIDTH))),
      mayLack: ({ index }) => index === OF_CONTRACT,
      hashes: (from, count) => answer(Array.from({ length: count }, (_, n) => view.blocks[from + n]?.hash ?? null)),
    }
  }

  function readerOf(count: number): NodesReader {
    const reader = new NodesReader({
      network: 'SEP',
      addresses: Array.from({ length: count }, (_, i) => ({ url: `http://node-${i}.test` })),
      nodeOf: (http) => nodeOf(Number(/\d/.exec(http.name)?.[0])),
      headAgeMaxMs: HEAD_AGE_MAX_MS,
      timeoutMs: 1000,
      answerLimitBytes: 1000,
      clock,
      scheduler: wakefulScheduler,
      random: () => 0,
      log: createLog('silent'),
    })
    readers.push(reader)
    return reader
  }

  const nobody = { has: () => false, few: () => [] }
  const ask = (count = 2) => readerOf(count).blocks(0, 499, nobody)

  test('are those of both, and only blocks with transfers are read twice', async () => {
    assert.deepEqual(await ask(), chainOf(WIDTH))
    assert.deepEqual(reads, ['1: 1'])
  })

  for (const [what, change, difference] of [
    ['a hash', { hash: 'hash-other' }, /block 1: it is hash-1 and hash-other/],
    ['a transfer less', { transfers: [] }, /block 1: it has other transfers/],
    ['another amount', { transfers: [{ ...paid, amount: '2' }] }, /block 1: it has other transfers/],
  ] as const) {
    test(`are not taken when the second node has ${what}`, async () => {
      views[1].blocks[1] = { ...(views[1].blocks[1] as ObservedBlock), ...change }
      await assert.rejects(ask(), (error) => {
        assert.ok(error instanceof NetworkProblem)
        assert.equal(error.reason, 'disagreement')
        assert.match(error.message, difference)
        assert.match(error.message, /node-0.test and http:\/\/node-1.test/)
        return true
      })
      views[1].blocks[1] = { ...(views[0].blocks[1] as ObservedBlock) }
      assert.deepEqual(await ask(), chainOf(WIDTH))
    })
  }

  test('are those of both although only one of them tells a transfer that not every node tells', async () => {
    const more = [paid, { ...paid, index: OF_CONTRACT }]
    for (const [teller, other] of [
      [more, [paid]],
      [[paid], more],
    ] as const) {
      for (const [i, transfers] of [teller, other].entries()) {
        const { blocks } = views[i] ?? assert.fail()
        blocks[1] = { ...(blocks[1] as ObservedBlock), transfers }
      }
      assert.deepEqual((await ask())[1]?.transfers, teller)
    }
  })

  test('are those of both although one of them does not tell of a transaction', async () => {
    const traced = { ...paid, index: 2 ** 31 }
    const untold = { txHashes: ['tx'], reason: 'not traced' }
    const whole = { ...(views[0].blocks[1] as ObservedBlock), transfers: [{ ...paid, txHash: 'other' }, paid, traced] }
    const partly = { ...whole, transfers: whole.transfers.slice(0, 2), untold }
    for (const [teller, other] of [
      [whole, partly],
      [partly, whole],
    ] as const) {
      views[0].blocks[1] = teller
      views[1].blocks[1] = other
      // What another node tells in whole is taken.
      assert.deepEqual((await ask())[1], whole)
    }
    views[1].blocks[1] = partly
    assert.deepEqual((await ask())[1], partly)
    const otherwise = { ...whole, untold: { ...untold, txHashes: ['other'] } }
    views[1].blocks[1] = otherwise
    assert.deepEqual((await ask())[1], partly)
    views[1].blocks[1] = { ...partly, transfers: partly.transfers.slice(1) }
    await assert.rejects(ask(), /block 1: it has other transfers/)
  })

  test('wait for a second node that is a little behind', async () => {
    views[1].blocks.length = 2
    views[1].latest = 1
    await assert.rejects(ask(), NodeBehind)
    views[1].blocks.push(...chainOf(3).slice(2))
    assert.deepEqual(await ask(), chainOf(WIDTH))
  })

  test('wait for a second node that stays behind for a while only, and not again before it has caught up', async () => {
    views[1].blocks.length = 2
    views[1].latest = 1
    const reader = readerOf(2)
    const read = () => reader.blocks(0, 499, nobody)
    await assert.rejects(read(), NodeBehind)
    clock.advance(COMPARISON_WAIT_MS - 1)
    views[1].timeMs = clock.now()
    await assert.rejects(read(), NodeBehind)
    clock.advance(1)
    for (let time = 0; time < 2; time += 1) assert.deepEqual(await read(), chainOf(WIDTH))
    views[1].blocks.push(...chainOf(3).slice(2))
    assert.deepEqual(await read(), chainOf(WIDTH))
    views[1].blocks.length = 2
    await assert.rejects(read(), NodeBehind)
  })

  test('are of the node that is further, when the first one is behind', async () => {
    views[0].latest = 100
    views[0].timeMs = clock.now() - 30_000
    assert.equal((await readerOf(2).head()).latest, 100)
    views[0].timeMs -= 1
    assert.equal((await readerOf(2).head()).latest, 499)
  })

  test('do not wait for a second node that stands still, has pruned them, or does not answer', async () => {
    views[1].blocks.length = 2
    views[1].latest = 1
    views[1].timeMs = clock.now() - HEAD_AGE_MAX_MS - 1
    assert.deepEqual(await ask(), chainOf(WIDTH))
    views[1].timeMs = clock.now()
    views[1].latest = 499
    assert.deepEqual(await ask(), chainOf(WIDTH))
    views[1].isAway = true
    assert.deepEqual(await ask(), chainOf(WIDTH))
    assert.deepEqual(await ask(1), chainOf(WIDTH))
  })

  test('are compared with the third when the second does not answer', async () => {
    views[1].isAway = true
    views[2].blocks[2] = { ...(views[2].blocks[2] as ObservedBlock), hash: 'hash-other' }
    await assert.rejects(ask(3), { name: 'NetworkProblem', reason: 'disagreement' })
  })
})
