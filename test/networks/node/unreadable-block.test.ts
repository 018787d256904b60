import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ObservedBlock, WatchedAddresses } from '../../../src/domain/block.js'
import { createLog } from '../../../src/log.js'
import { NodeUnavailable, WrongNode } from '../../../src/networks/network-reader.js'
import {
  BadAnswer,
  HttpFailure,
  MissingBlock,
  type NodeFailure,
  RateLimited,
  RpcFailure,
  UnfitNode,
} from '../../../src/networks/node/answer.js'
import type { ChainNode } from '../../../src/networks/node/chain-node.js'
import { NodesReader } from '../../../src/networks/node/nodes-reader.js'
import { systemScheduler } from '../../../src/scheduler.js'
import { ManualClock } from '../../support/manual-clock.js'

const HEIGHT = 7
const NOBODY: WatchedAddresses = { has: () => false, few: () => [] }

/** How a node is that is asked for a block. */
interface Node {
  /** The failure of every query for a block; none when absent. */
  readonly fails?: NodeFailure | WrongNode
  /** The same, of one way of asking. */
  readonly failsInOneWay?: NodeFailure
  readonly latest?: number
  readonly headFails?: NodeFailure
  /** Its branch: blocks have other hashes and transfers. */
  readonly branch?: string
  /** The heights of which it tells the hash; all when absent. */
  readonly tells?: readonly number[]
  /** Whether it can give the block behind. */
  readonly givesNext?: boolean
  /** A transaction that it does not tell of. */
  readonly untold?: string
}

function block(height: number, branch = 'a', bad?: string): ObservedBlock {
  const hash = (at: number) => `${branch}${at}`
  const untold = bad === undefined ? {} : { untold: { txHashes: [bad], reason: 'not traced' } }
  return { height, hash: hash(height), parentHash: hash(height - 1), timeMs: 1, timeEndMs: 1, transfers: [], ...untold }
}

function nodeOf({ fails, failsInOneWay, latest = 100, headFails, branch, tells, givesNext, untold }: Node): ChainNode {
  const throwing = <T>(error: Error | undefined, answer: T) =>
    error === undefined ? Promise.resolve(answer) : Promise.reject(error)
  return {
    check: async () => {},
    head: () => throwing(headFails, { latest, confirmed: latest, timeMs: Date.now() }),
    block: (height) =>
      throwing(
        height !== HEIGHT && givesNext === true ? undefined : (fails ?? failsInOneWay),
        block(height, branch, untold),
      ),
    fresh: (from) => throwing(fails, [block(from, branch)]),
    blocks: (from) => throwing(fails, [block(from, branch)]),
    timeOf: () => throwing(fails, 1),
    examine: async () => [],
    hashes: async (from, count) =>
      Array.from({ length: count }, (_, i) => from + i).map((height) =>
        tells === undefined || tells.includes(height) ? block(height, branch).hash : null,
      ),
  }
}

async function readerOf(clock: ManualClock, ...nodes: readonly Node[]): Promise<NodesReader> {
  const reader = new NodesReader({
    network: 'SEP',
    addresses: nodes.map((_, i) => ({ url: `http://node-${i}` })),
    timeoutMs: 1000,
    answerLimitBytes: 1000,
    clock,
    scheduler: systemScheduler,
    random: () => 0.999_999,
    log: createLog('silent'),
    nodeOf: ({ name }) => nodeOf(nodes[Number(name.split('-')[1])] ?? {}),
    headAgeMaxMs: Number.MAX_SAFE_INTEGER,
  })
  await reader.verify()
  return reader
}

test('what a node answered, and to what, is told with the failure, also while the node is left alone', async () => {
  const clock = new ManualClock()
  const fails = Object.assign(new RpcFailure(-32_000, 'error -32000: no room'), { question: 'eth_getBlockReceipts' })
  const reader = await readerOf(clock, { fails })
  for (const isEarlier of [false, true]) {
    await assert.rejects(reader.blocks(HEIGHT, HEIGHT, NOBODY), (error) => {
      assert.ok(error instanceof NodeUnavailable)
      assert.deepEqual(error.refusal, {
        question: 'eth_getBlockReceipts',
        answer: 'error -32000: no room',
        isEarlier,
      })
      return true
    })
  }
  await reader.close()
})

async function rejection(promise: Promise<unknown>): Promise<NodeUnavailable> {
  const error: unknown = await promise.then(
    () => assert.fail('it was read'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof NodeUnavailable)
  return error
}

const MALFORMED = new BadAnswer('a transaction without a hash')
const LIMITED = new RateLimited('too many requests')
const DOWN = new HttpFailure('connection', 'refused')
const MISSING = new MissingBlock('no such block')

describe('that no node gives a block', () => {
  const cases: readonly (readonly [string, readonly Node[], boolean])[] = [
    ['is of the block where its contents are malformed', [{ fails: MALFORMED }], true],
    ['is of the block where a node answers with an error', [{ fails: new RpcFailure(-32000, 'internal') }], true],
    ['is of the block where it takes too long', [{ fails: new HttpFailure('timeout', 'too late') }], true],
    [
      'is of the block where a status is answered',
      [{ fails: new HttpFailure('status', '500', { status: 500 }) }],
      true,
    ],
    [
      'is of the block where each node fails otherwise',
      [{ fails: MALFORMED }, { fails: new RpcFailure(1, 'no') }],
      true,
    ],
    ['is of the block where one node fails on it and the other is down', [{ fails: MALFORMED }, { fails: DOWN }], true],
    [
      'is of the block where one node fails on it and the other has dropped it',
      [{ fails: MALFORMED }, { fails: new UnfitNode('pruned', 'gone') }],
      true,
    ],
    ['is of the block where a node that is past it lacks it', [{ fails: MISSING }], true],
    ['is not of the block where a node is behind it', [{ fails: MALFORMED }, { fails: MISSING, latest: 6 }], false],
    ['is not of the block where the only node is behind it', [{ fails: MISSING, latest: 6 }], false],
    ['is not of the block where a node lacks it and then says nothing', [{ fails: MISSING, headFails: DOWN }], false],
    ['is not of the block where no node answers', [{ fails: DOWN }, { fails: DOWN }], false],
    ['is not of the block where the only node turns its client away', [{ fails: LIMITED }], false],
    ['is not of the block where one node turns its client away', [{ fails: MALFORMED }, { fails: LIMITED }], false],
    [
      'is not of the block where it is the status of a limit',
      [{ fails: new HttpFailure('status', '429', { status: 429 }) }],
      false,
    ],
    ['is not of the block where all nodes have dropped it', [{ fails: new UnfitNode('pruned', 'gone') }], false],
    ['is not of the block where the node is of another network', [{ fails: new WrongNode('another') }], false],
  ]
  for (const [what, nodes, expected] of cases) {
    test(what, async () => {
      for (const ask of ['blocks', 'fresh'] as const) {
        const reader = await readerOf(new ManualClock(), ...nodes)
        const error = await rejection(reader[ask](HEIGHT, HEIGHT, NOBODY))
        assert.equal(error.isOfBlock, expected, ask)
        await reader.close()
      }
    })
  }

  test('is found out by asking, and not by what was said of another block', async () => {
    const clock = new ManualClock()
    const reader = await readerOf(clock, { fails: MALFORMED }, { fails: LIMITED })
    assert.equal((await rejection(reader.blocks(HEIGHT, HEIGHT, NOBODY))).isOfBlock, false)
    clock.advance(900)
    assert.equal((await rejection(reader.blocks(HEIGHT, HEIGHT, NOBODY))).isOfBlock, false)
    await reader.close()
    const other = await readerOf(clock, { fails: MALFORMED }, { fails: new RpcFailure(1, 'no') })
    assert.equal((await rejection(other.blocks(HEIGHT, HEIGHT, NOBODY))).isOfBlock, true)
    // Nobody was asked for this one.
    assert.equal((await rejection(other.blocks(HEIGHT + 1, HEIGHT + 1, NOBODY))).isOfBlock, false)
    await other.close()
  })

  test('is not said of a head', async () => {
    const reader = await readerOf(new ManualClock(), { headFails: MALFORMED })
    assert.equal((await rejection(reader.head())).isOfBlock, false)
    await reader.close()
  })
})

describe('a block that is asked for again', () => {
  const cases: readonly (readonly [string, readonly Node[], string | RegExp])[] = [
    ['comes from any node', [{ fails: MALFORMED }, {}], 'a7'],
    ['comes in another way', [{ failsInOneWay: MALFORMED }], 'a7'],
    [
      'does not come while no node gives it',
      [{ fails: MALFORMED }, { fails: MISSING }],
      /a transaction without a hash/,
    ],
    ['does not come while nodes tell different things', [{}, { branch: 'b' }], /disagree about block 7/],
  ]
  for (const [what, nodes, expected] of cases) {
    test(what, async () => {
      const reader = await readerOf(new ManualClock(), ...nodes)
      const before = reader.endpoints()
      if (typeof expected === 'string') assert.equal((await reader.again(HEIGHT, NOBODY)).hash, expected)
      else assert.match((await rejection(reader.again(HEIGHT, NOBODY))).message, expected)
      // Nothing is held against the nodes.
      assert.deepEqual(reader.endpoints(), before)
      await reader.close()
    })
  }

  test('is taken from a node that tells all of it, and else as far as one does', async () => {
    const reader = await readerOf(new ManualClock(), { untold: 'bad' }, {})
    assert.equal((await reader.again(HEIGHT, NOBODY)).untold, undefined)
    await reader.close()
    const other = await readerOf(new ManualClock(), { untold: 'bad' }, { fails: MALFORMED })
    assert.deepEqual((await other.again(HEIGHT, NOBODY)).untold?.txHashes, ['bad'])
    await other.close()
  })

  test('is not asked of a node that is left alone', async () => {
    const clock = new ManualClock()
    const reader = await readerOf(clock, { headFails: DOWN })
    await rejection(reader.head())
    assert.match((await rejection(reader.again(HEIGHT, NOBODY))).message, /: left alone after failures$/)
    await reader.close()
  })

  test('ends with an error that is none of the nodes', async () => {
    const reader = await readerOf(new ManualClock(), {})
    const defect = new TypeError('a defect')
    const broken: WatchedAddresses = NOBODY
    const [endpoint] = Reflect.get(reader, 'all') as { node: ChainNode }[]
    assert.ok(endpoint !== undefined)
    endpoint.node.block = () => Promise.reject(defect)
    await assert.rejects(reader.again(HEIGHT, broken), defect)
    await reader.close()
  })
})

describe('the place of a block in the chain', () => {
  const cases: readonly (readonly [string, readonly Node[], string | null])[] = [
    ['is that of its header', [{ fails: MALFORMED }], 'a7 on a6'],
    ['is told by the block behind it', [{ fails: MALFORMED, tells: [6], givesNext: true }], 'a7 on a6'],
    ['is told by one of the nodes', [{ fails: MALFORMED, tells: [] }, { fails: MALFORMED }], 'a7 on a6'],
    ['is not known where no node tells it', [{ fails: MALFORMED, tells: [6] }], null],
    ['is not known where no node tells the parent', [{ fails: MALFORMED, tells: [7] }], null],
    ['is not known where nodes tell different ones', [{ fails: MALFORMED }, { branch: 'b' }], null],
  ]
  for (const [what, nodes, expected] of cases) {
    test(what, async () => {
      const reader = await readerOf(new ManualClock(), ...nodes)
      const link = await reader.linkOf(HEIGHT)
      assert.equal(link === null ? null : `${link.hash} on ${link.parentHash}`, expected)
      await reader.close()
    })
  }

  test('of the first block of all has no parent', async () => {
    const reader = await readerOf(new ManualClock(), {})
    assert.deepEqual(await reader.linkOf(0), { hash: 'a0', parentHash: '' })
    await reader.close()
  })
})
