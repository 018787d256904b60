import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BlockHead, ChainPosition, ObservedBlock } from '../../src/domain/block.js'
import { millisecond } from '../../src/domain/received-at.js'
import { commonAncestor, NoCommonAncestor } from '../../src/networks/common-ancestor.js'
import { type NetworkReader, NodeUnavailable } from '../../src/networks/network-reader.js'

const OLDEST = 10
const CONFIRMED = 15
const TIP = 20

/** A block of a branch. Its parent is of the same branch above `forkedAt`, and of the kept one below. */
function blockOf(branch: string, height: number, forkedAt: number): ObservedBlock {
  const nameAt = (at: number) => `${at > forkedAt ? branch : 'kept'} ${at}`
  return { height, hash: nameAt(height), parentHash: nameAt(height - 1), ...millisecond(height), transfers: [] }
}

const keptBlock = (height: number): BlockHead => blockOf('kept', height, 0)

/** A chain that left the kept one above `forkedAt`; `reads` are the heights that were asked for, and when nodes were doubted. */
function world(forkedAt: number, answer = (height: number): ObservedBlock | null => blockOf('new', height, forkedAt)) {
  const reads: (number | 'distrust')[] = []
  const reader = {
    network: 'SEP',
    distrust: () => reads.push('distrust'),
    block: async (height: number) => {
      reads.push(height)
      return answer(height)
    },
  } as Pick<NetworkReader, 'network' | 'block'> as NetworkReader
  const chain = {
    blockAt: (_: unknown, height: number) => (height >= OLDEST && height <= TIP ? keptBlock(height) : undefined),
    watched: () => ({ has: () => false, few: () => [] }),
  }
  const position: ChainPosition = { tip: keptBlock(TIP), confirmed: CONFIRMED, oldest: OLDEST }
  const find = (isStopping = () => false, next = blockOf('new', TIP + 1, forkedAt)) =>
    commonAncestor(reader, chain, position, next, isStopping)
  return { reads, find }
}

describe('the common ancestor', () => {
  for (const [forkedAt, reads] of [
    [19, [20]],
    [16, [20, 19, 18, 17]],
    // Before it goes through confirmed blocks, it has the nodes checked, and looks at the oldest.
    [13, [20, 19, 18, 17, 16, 'distrust', OLDEST, 15, 14]],
    [OLDEST, [20, 19, 18, 17, 16, 'distrust', OLDEST, 15, 14, 13, 12, 11]],
  ] as const) {
    test(`of a branch that begins above ${forkedAt} is block ${forkedAt}`, async () => {
      const { find, reads: made } = world(forkedAt)
      assert.equal(await find(), forkedAt)
      assert.deepEqual(made, reads)
    })
  }

  test('does not exist when the oldest block is another one, which is noticed before all confirmed ones are read', async () => {
    const { find, reads } = world(OLDEST - 1)
    await assert.rejects(find(), NoCommonAncestor)
    assert.deepEqual(reads, [20, 19, 18, 17, 16, 'distrust', OLDEST])
  })

  test('does not exist when the block follows none that is kept', async () => {
    const { find } = world(TIP)
    await assert.rejects(
      find(() => false, blockOf('new', OLDEST, OLDEST - 1)),
      NoCommonAncestor,
    )
  })

  test('is not guessed when nodes disagree about a block, or none has the oldest', async () => {
    const disagreeing = world(13, (height) => blockOf(height === 18 ? 'third' : 'new', height, 13))
    await assert.rejects(disagreeing.find(), NodeUnavailable)
    const missing = world(13, (height) => (height === 18 ? null : blockOf('new', height, 13)))
    await assert.rejects(missing.find(), NodeUnavailable)
    const withoutOldest = world(13, (height) => (height === OLDEST ? null : blockOf('new', height, 13)))
    await assert.rejects(withoutOldest.find(), NodeUnavailable)
  })

  test('is not looked for any longer when the watcher stops', async () => {
    const { find, reads } = world(OLDEST)
    assert.equal(await find(() => reads.length === 2), null)
    assert.equal(reads.length, 2)
  })
})
