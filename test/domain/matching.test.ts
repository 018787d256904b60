import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Candidate, matchDeposit } from '../../src/domain/matching.js'

/** Candidates as `id: remaining`; ids sort by age. */
function candidates(remaining: Readonly<Record<string, bigint>>): readonly Candidate[] {
  return Object.entries(remaining).map(([id, missing]) => ({ id, remaining: missing }))
}

describe('the invoice that a deposit notifies (decisions 6)', () => {
  const rows: readonly (readonly [string, bigint, Readonly<Record<string, bigint>>, string | null])[] = [
    ['there is none without candidates', 5n, {}, null],
    ['the only unpaid one', 5n, { a: 9n }, 'a'],
    ['the only one, though paid', 5n, { a: 0n }, 'a'],
    ['the unpaid one that misses exactly the amount', 5n, { a: 9n, b: 5n, c: 7n }, 'b'],
    ['the newest of those that miss exactly the amount', 5n, { a: 5n, b: 5n, c: 7n }, 'b'],
    ['an exact one before an older unpaid one', 5n, { a: 9n, b: 5n }, 'b'],
    ['an exact one before a newer unpaid one', 5n, { a: 5n, b: 9n }, 'a'],
    ['the oldest unpaid one when none is exact', 5n, { a: 0n, b: 9n, c: 7n }, 'b'],
    ['an unpaid one before a newer paid one', 5n, { a: 9n, b: 0n }, 'a'],
    ['the newest when all are paid', 5n, { a: 0n, b: 0n, c: 0n }, 'c'],
    ['one that misses more before one that misses less, when older', 5n, { a: 6n, b: 4n }, 'a'],
  ]
  for (const [what, atoms, remaining, expected] of rows) {
    test(what, () => {
      const all = candidates(remaining)
      assert.equal(matchDeposit(atoms, all)?.id ?? null, expected)
      assert.equal(matchDeposit(atoms, [...all].reverse())?.id ?? null, expected)
    })
  }

  test('is what the three rules say, one after the other, in any order of candidates', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(ids, fc.array(fc.bigInt({ min: 0n, max: 3n }), { minLength: 8, maxLength: 8 }), (names, missing) => {
        const all = names.map((id, i) => ({ id, remaining: missing[i] ?? 0n }))
        const oldestFirst = [...all].sort((a, b) => (a.id < b.id ? -1 : 1))
        const expected =
          oldestFirst.findLast((one) => one.remaining === 2n) ??
          oldestFirst.find((one) => one.remaining > 0n) ??
          oldestFirst.at(-1)
        assert.equal(matchDeposit(2n, all)?.id, expected?.id)
      }),
    )
  })
})
