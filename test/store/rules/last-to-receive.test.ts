import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { answeredLater, answeredNow } from '../../../src/store/rules/asking.js'
import { lastToReceive } from '../../../src/store/rules/last-to-receive.js'

/** A month of ms. */
const LONG_MS = 2_678_400_000

/** What came after a moment, when one atom came at each of some moments, and how often it was asked for. */
function receiving(...receivedAt: readonly number[]) {
  const asked: number[] = []
  const sumAfter = (timeMs: number) => {
    asked.push(timeMs)
    return BigInt(receivedAt.filter((one) => one > timeMs).length)
  }
  return { asked, sumAfter }
}

describe('the last moment after which enough came', () => {
  const rows: readonly [string, readonly number[], bigint, number, number | null][] = [
    ['is the one before the deposit that makes it enough', [5, 7], 1n, 100, 6],
    ['counts deposits from the newest one back', [5, 7], 2n, 100, 4],
    ['is before the given one', [5, 7], 1n, 3, 2],
    ['is not there when too little came', [5, 7], 3n, 100, null],
    ['is not there when nothing is before', [5, 7], 1n, 0, null],
    ['is the beginning of time when that is just enough', [1, 7], 2n, 100, 0],
  ]
  for (const [what, receivedAt, atoms, beforeMs, last] of rows) {
    test(what, () => {
      assert.equal(answeredNow(lastToReceive(receiving(...receivedAt).sumAfter, atoms, beforeMs)), last)
    })
  }

  test('is that of a search of every moment, on an engine that answers later, too', async () => {
    const moments = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(moments, fc.bigInt(1n, 9n), fc.integer({ min: 0, max: 45 }), async (at, atoms, beforeMs) => {
        const { sumAfter } = receiving(...at)
        const all = Array.from({ length: beforeMs }, (_, timeMs) => timeMs)
        const last = all.filter((timeMs) => sumAfter(timeMs) >= atoms).at(-1) ?? null
        const later = async (timeMs: number) => sumAfter(timeMs)
        assert.equal(answeredNow(lastToReceive(sumAfter, atoms, beforeMs)), last)
        assert.equal(await answeredLater(lastToReceive(later, atoms, beforeMs)), last)
      }),
    )
  })

  test('is found with few questions when it is near, however long the history', () => {
    const { asked, sumAfter } = receiving(LONG_MS - 3)
    answeredNow(lastToReceive(sumAfter, 1n, LONG_MS))
    assert.ok(asked.length <= 8, `${asked.length} questions`)
  })
})
