import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type FirstBlock, firstBlockSince } from '../../src/networks/first-block.js'
import { START_MS } from '../support/manual-clock.js'

const BLOCK_MS = 3000

/** Block n is made n times three seconds after the start. */
const regular = (height: number) => START_MS + height * BLOCK_MS
const timeOfBlock = (height: number) => regular(height)

async function find(
  timeAt: (height: number) => number | null,
  confirmed: number,
  sinceMs: number,
): Promise<{ readonly found: FirstBlock | null; readonly asked: readonly number[] }> {
  const asked: number[] = []
  const timeOf = async (height: number) => {
    asked.push(height)
    return timeAt(height)
  }
  return { found: await firstBlockSince(timeOf, confirmed, sinceMs), asked }
}

describe('the first block since a time', () => {
  const cases: readonly (readonly [
    what: string,
    timeAt: (height: number) => number | null,
    confirmed: number,
    sinceMs: number,
    height: number,
    isPruned?: true,
  ])[] = [
    ['is the newest one when that is old', regular, 1000, timeOfBlock(2000), 1000],
    ['is the newest one when that is of this time', regular, 1000, timeOfBlock(1000), 1000],
    ['may hold what was sent up to the end of its second', regular, 1000, timeOfBlock(700) + 999, 700],
    ['is the next one behind that second', regular, 1000, timeOfBlock(700) + 1000, 701],
    ['is the first of all when the chain is younger', regular, 1000, START_MS - 1, 0],
    ['is the first of all when there is no other', regular, 0, START_MS - 1, 0],
    ['is found near the newest one', regular, 70_000_000, timeOfBlock(69_999_998), 69_999_998],
    ['is found far from the newest one', regular, 70_000_000, timeOfBlock(123_456), 123_456],
    ['is the lowest one of equal times', (height) => regular(Math.floor(height / 40)), 1000, timeOfBlock(10), 400],
    ['is the first of all where times stand', () => START_MS, 1000, START_MS, 0],
    [
      'is not hidden by a newest block with an old time',
      (height) => (height === 1000 ? 5 : regular(height)),
      1000,
      timeOfBlock(700),
      700,
    ],
    [
      'is not hidden by an old time where the search happens to look',
      (height) => (height === 1000 - 16 ? 5 : regular(height)),
      1000,
      timeOfBlock(700),
      700,
    ],
    [
      'is the oldest one that is there',
      (height) => (height < 640 ? null : regular(height)),
      1000,
      timeOfBlock(3),
      640,
      true,
    ],
    ['needs no more than is there', (height) => (height < 640 ? null : regular(height)), 1000, timeOfBlock(641), 641],
  ]
  for (const [what, timeAt, confirmed, sinceMs, height, isPruned = false] of cases) {
    test(what, async () => {
      const { found, asked } = await find(timeAt, confirmed, sinceMs)
      assert.deepEqual(found, { height, timeMs: timeAt(height), isPruned })
      assert.ok(asked.length <= 40, `${asked.length} blocks were asked for`)
      assert.ok(asked.every((one) => one >= 0 && one <= confirmed))
    })
  }

  test('is found with a handful of questions when it is a few minutes ago', async () => {
    const { asked } = await find(regular, 70_000_000, timeOfBlock(70_000_000) - 10 * 60_000)
    assert.ok(asked.length <= 12, String(asked))
  })

  test('is not known while the nodes do not have the newest one', async () => {
    assert.equal((await find(() => null, 1000, START_MS)).found, null)
  })
})
