import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NodeUnavailable } from '../../../src/networks/network-reader.js'
import { TronFixture, watched } from './fixture.js'

const BLOCKS = 600
const PRUNED_BELOW = 237

describe('the TRON reader with what real nodes do', () => {
  async function withChain(use: (fixture: TronFixture) => Promise<void>): Promise<void> {
    const fixture = await TronFixture.open(1)
    try {
      fixture.chain.produceEmpty(BLOCKS)
      fixture.now()
      await fixture.reader.head()
      await use(fixture)
    } finally {
      await fixture.close()
    }
  }

  for (const [what, answer] of [
    ['knows nothing of old blocks', {}],
    ['says that it is a lite node', { Error: 'this API is closed because this node is a lite fullnode' }],
  ] as const) {
    test(`says from which height on a node has its blocks when it ${what}`, () =>
      withChain(async ({ node, reader, clock }) => {
        node.spoil(/getblockby(num|limitnext)$/, (own, { body }) => ({
          json: Number(body['num'] ?? body['startNum']) < PRUNED_BELOW ? answer : own,
        }))
        // The check asks for the first block, which these nodes have.
        await assert.rejects(reader.blocks(5, 9, watched), (error) => {
          assert.ok(error instanceof NodeUnavailable)
          assert.equal(error.problem?.reason, 'pruned', error.message)
          assert.match(error.problem.message, new RegExp(`begins at block ${PRUNED_BELOW}, and block 5 is needed`))
          return true
        })
        assert.equal(reader.endpoints()[0]?.problem?.reason, 'pruned')
        clock.advance(60_000)
      }))
  }

  test('takes an error that speaks of too many requests for a limit of the rate', () =>
    withChain(async ({ node, reader }) => {
      node.spoil(/getnowblock$/, () => ({ json: { Error: 'Exceeded: too many requests' } }), 1)
      await reader.head()
      assert.deepEqual([reader.endpoints()[0]?.limited, reader.endpoints()[0]?.failures], [1, 0])
    }))

  test('a network without a new block for a minute is stalled', () =>
    withChain(async ({ reader, clock }) => {
      assert.equal(reader.problem(), null)
      clock.advance(61_000)
      await reader.head()
      assert.deepEqual([reader.problem()?.reason, reader.endpoints()[0]?.problem?.reason], ['stalled', 'stalled'])
    }))

  test('a network whose node does not answer is not called stalled: nobody knows', () =>
    withChain(async ({ node, reader, clock }) => {
      await reader.head()
      node.spoil(/getnowblock$|getblock$|getblockbylatestnum$/, () => ({ text: 'unwell', status: 500 }))
      clock.advance(61_000)
      await assert.rejects(reader.head(), NodeUnavailable)
      assert.equal(reader.problem(), null)
    }))
})
