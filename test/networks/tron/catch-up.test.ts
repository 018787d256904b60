import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ObservedBlock } from '../../../src/domain/block.js'
import { NodeUnavailable } from '../../../src/networks/network-reader.js'
import { truthOf } from '../../support/tron-chain.js'
import type { EmulatedTronNode } from '../../support/tron-node.js'
import { tokenTransfer, trxTransfer, vote } from '../../support/tron-transactions.js'
import { ALICE, BOB, ours, TOKEN, TronFixture, type TronVariant, watched } from './fixture.js'

const BLOCKS = 150
/** Questions that may fail before a test gives up. */
const FAILURES_MAX = 2 * BLOCKS

interface CatchUp {
  /** Requests of the first node after it was checked. */
  readonly requests: number
  readonly failures: number
}

/** Reads every solidified block as a watcher does, pausing after failures, and requires that it is the truth. */
async function catchUp(
  options: TronVariant,
  produce: (fixture: TronFixture) => void,
  limit: (node: EmulatedTronNode, fixture: TronFixture) => void = () => {},
): Promise<CatchUp> {
  const fixture = await TronFixture.open(1, options)
  const { chain, node, reader, clock } = fixture
  try {
    while (chain.latest < BLOCKS) produce(fixture)
    chain.produceEmpty(18)
    fixture.now()
    assert.equal((await reader.head()).confirmed, BLOCKS)
    const requestsBefore = node.requests.length
    limit(node, fixture)
    const observed: ObservedBlock[] = []
    let failures = 0
    while (observed.length < BLOCKS) {
      try {
        const blocks = await reader.blocks(observed.length + 1, BLOCKS, watched)
        assert.ok(blocks.length > 0)
        observed.push(...blocks)
      } catch (error) {
        if (!(error instanceof NodeUnavailable) || failures > FAILURES_MAX) throw error
        failures += 1
        clock.advance(60_000)
      }
    }
    assert.deepEqual(
      observed,
      chain.blocks.slice(1, BLOCKS + 1).map((block) => truthOf(block, ours)),
    )
    return { requests: node.requests.length - requestsBefore, failures }
  } finally {
    await fixture.close()
  }
}

/** A block like those of Nile: some transactions, of which few are ours. */
function busy({ chain }: TronFixture): void {
  const others = Array.from({ length: 10 }, vote)
  chain.produce(...others, chain.latest % 7 === 0 ? trxTransfer(ALICE, 5n) : tokenTransfer(TOKEN, BOB, 7n))
}

describe('TRON reader, catching up', () => {
  test('reads one receipt answer for each block, and the blocks themselves many at once', async () => {
    const { requests, failures } = await catchUp({}, busy)
    assert.equal(failures, 0)
    assert.ok(requests <= 1.1 * BLOCKS, `${requests} requests`)
  })

  test('reads empty blocks with almost no requests', async () => {
    const { requests } = await catchUp({}, ({ chain }) => chain.produceEmpty(1))
    assert.ok(requests <= 0.1 * BLOCKS, `${requests} requests`)
  })

  test('a node that allows few requests at a time is called again for what it refused, and for nothing else', async () => {
    const { failures, requests } = await catchUp({}, busy, (node, { clock }) => {
      let allowance = 15
      let seenMs = clock.now()
      node.spoil(/./, (json) => {
        if (clock.now() > seenMs) allowance = 15
        seenMs = clock.now()
        allowance -= 1
        return allowance >= 0 ? { json } : { text: '', status: 429 }
      })
    })
    assert.equal(failures, 0)
    assert.ok(requests <= 1.3 * BLOCKS, `${requests} requests`)
  })

  test('answers that are too long are asked for in smaller parts, at once', async () => {
    const { failures } = await catchUp({ answerLimitBytes: 20_000 }, busy)
    assert.equal(failures, 0)
  })

  test('a node that gives only five blocks at once is read nevertheless', async () => {
    await catchUp({}, busy, (node) => {
      node.spoil(/getblockbylimitnext/, (json, { body }) =>
        Number(body['endNum']) - Number(body['startNum']) <= 5 ? { json } : { json: { Error: 'range too large' } },
      )
    })
  })

  test('a node that gives fewer blocks than asked for is read to the end', async () => {
    const { failures } = await catchUp({}, busy, (node) => {
      node.spoil(/getblockbylimitnext/, (json) => ({
        json: { block: (json as { block: unknown[] }).block.slice(0, 3) },
      }))
    })
    assert.equal(failures, 0)
  })

  const refused: readonly (readonly [name: string, change: (blocks: unknown[]) => unknown[]])[] = [
    ['in another order', (blocks) => blocks.toReversed()],
    ['with one left out', (blocks) => blocks.filter((_, i) => i !== 1)],
    ['with one twice', (blocks) => blocks.flatMap((block, i) => (i === 1 ? [block, block] : [block]))],
    ['more than asked for', (blocks) => [...blocks, blocks.at(-1)]],
  ]
  for (const [name, change] of refused) {
    test(`a node that tells blocks ${name} is read one by one`, async () => {
      const { failures } = await catchUp({}, busy, (node) => {
        node.spoil(/getblockbylimitnext/, (json) => {
          const { block } = json as { block: unknown[] }
          return { json: { block: block.length > 1 ? change(block) : block } }
        })
      })
      assert.equal(failures, 0)
    })
  }

  test('of blocks of two chains only the first is told', async () => {
    const fixture = await TronFixture.open(1)
    const { chain, node, reader } = fixture
    try {
      chain.produceEmpty(30)
      const other = chain.view().blocks
      chain.undo(5)
      chain.produceEmpty(30)
      fixture.now()
      await reader.blocks(1, 1, watched)
      node.view = { blocks: [...other.slice(0, 28), ...chain.blocks.slice(28)], solidified: 37 }
      const heights = (await reader.blocks(27, 30, watched)).map(({ height }) => height)
      assert.deepEqual(heights, [27])
    } finally {
      await fixture.close()
    }
  })
})
