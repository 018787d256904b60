import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type BlockAside,
  DEPOSITS_ASIDE_MAX,
  type DepositAside,
  failedAgain,
  isToBeSetAside,
  isTrouble,
  isWaiting,
  mergedAside,
  supersedes,
  WAITS,
} from '../../src/domain/aside.js'
import type { DepositReport } from '../../src/domain/deposit.js'

const MINUTE_MS = 60_000
const BLOCK = { network: 'SEP', height: 7, reason: 'malformed' } as const

/** A block that failed at these times, in minutes. */
function failedAt(...minutes: readonly number[]): BlockAside {
  let known: BlockAside | undefined
  for (const minute of minutes) known = failedAgain(known, BLOCK, minute * MINUTE_MS)
  return known ?? assert.fail()
}

describe('the time for which a block could not be read', () => {
  const cases: readonly (readonly [string, readonly number[], number])[] = [
    ['is nothing at the first failure', [100], 0],
    ['is that between failures', [100, 101, 102, 103], 3],
    ['counts no more than two minutes of an outage or a stop', [100, 101, 200, 201], 4],
    ['does not begin anew with a process', [0, 60, 120, 180], 6],
    ['is not made longer by a clock that was set back', [100, 101, 50, 51], 2],
  ]
  for (const [what, minutes, expected] of cases) {
    test(what, () => {
      const { failedForMs, since, failedAt: last } = failedAt(...minutes)
      assert.equal(failedForMs / MINUTE_MS, expected)
      assert.deepEqual([since, last], [(minutes[0] ?? 0) * MINUTE_MS, (minutes.at(-1) ?? 0) * MINUTE_MS])
    })
  }

  test('decides when the network goes on without it, and never where the operator says so', () => {
    const row = failedAt(0, 1, 2)
    assert.equal(isToBeSetAside(row, 2 * MINUTE_MS), true)
    assert.equal(isToBeSetAside(row, 2 * MINUTE_MS + 1), false)
    assert.equal(isToBeSetAside(row, 0), false)
  })

  test('is kept with a reason of bounded length that is a text', () => {
    const { reason } = failedAgain(undefined, { ...BLOCK, reason: `${'x'.repeat(499)}\u{1F600}` }, 0)
    assert.equal(reason.length, 500)
    assert.ok(reason.isWellFormed())
  })
})

describe('a report of a deposit that was set aside', () => {
  const takes: Readonly<Record<DepositReport, readonly DepositReport[]>> = {
    pending: ['pending', 'dropped'],
    confirmed: ['pending', 'confirmed', 'dropped'],
    dropped: ['pending', 'confirmed', 'dropped'],
  }
  const reports = Object.keys(takes) as DepositReport[]
  for (const later of reports) {
    for (const aside of reports) {
      test(`that is ${aside} is ${takes[later].includes(aside) ? '' : 'not '}replaced by ${later}`, () => {
        assert.equal(supersedes(later, aside), takes[later].includes(aside))
        const sighting = {
          network: 'SEP',
          txHash: 'x',
          index: 0,
          toAddress: 'a',
          currency: null,
          amount: '1',
          receivedAt: 1,
        }
        const known: DepositAside = { sighting, report: aside, height: 5, error: 'first', since: 1 }
        const other: DepositAside = { sighting, report: later, height: null, error: 'second', since: 2 }
        const merged = mergedAside(known, other, 1)
        assert.equal(merged.report, supersedes(later, aside) ? later : aside)
        assert.deepEqual([merged.error, merged.since], ['second', 1])
      })
    }
  }

  const later: DepositAside = {
    sighting: { network: 'SEP', txHash: 'x', index: 0, toAddress: 'a', currency: null, amount: '1', receivedAt: 1 },
    report: 'pending',
    height: 5,
    error: 'first',
    since: 1,
  }

  for (const [known, report, height, kept] of [
    [5, 'pending', 6, 5],
    [5, 'pending', 4, 4],
    [null, 'pending', 6, 6],
    [5, 'pending', null, null],
    // What another report says is of its block.
    [5, 'confirmed', 6, 6],
  ] as const) {
    test(`pending in ${known}, is in ${kept} when ${height} says that it is ${report}`, () => {
      assert.equal(mergedAside({ ...later, height: known }, { ...later, report, height }, 1).height, kept)
    })
  }

  test('is kept as long as there are not too many', () => {
    assert.deepEqual(mergedAside(undefined, later, DEPOSITS_ASIDE_MAX - 1), later)
    assert.throws(() => mergedAside(undefined, later, DEPOSITS_ASIDE_MAX), /too many/)
    assert.equal(mergedAside(undefined, { ...later, error: WAITS }, DEPOSITS_ASIDE_MAX).error, WAITS)
    // One that is set aside already takes no place.
    assert.equal(mergedAside(later, later, DEPOSITS_ASIDE_MAX).error, 'first')
  })
})

describe('a deposit that waits for others to be settled', () => {
  const sighting = { network: 'SEP', txHash: 'x', index: 0, toAddress: 'a', currency: null, amount: '1', receivedAt: 1 }
  const aside = (error: string): DepositAside => ({ sighting, report: 'pending', height: 5, error, since: 1 })

  test('is no trouble, unless it waits for a minute', () => {
    assert.deepEqual([isWaiting(aside(WAITS)), isWaiting(aside('a fault'))], [true, false])
    assert.deepEqual(
      [1, MINUTE_MS, MINUTE_MS + 1].map((nowMs) => isTrouble(aside(WAITS), nowMs)),
      [false, false, true],
    )
    assert.equal(isTrouble(aside('a fault'), 1), true)
  })
})
