import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DatedMessages } from '../../../src/service/clock/dated-messages.js'

const START_MS = 1_700_000_000_000
const KIND = { aheadMaxMs: 500, ageMaxMs: 1000, severalCount: 3, severalMs: 4000 }

/** Messages, by the seconds at which each came, its age then, and how long before nobody saw it. */
function start(...messages: readonly (readonly [comesAt: number, age: number, gap: number | null])[]) {
  const seen = new DatedMessages(KIND)
  for (const [comesAt, age, gap] of messages) {
    const elapsedMs = comesAt * 1000
    seen.saw(START_MS + elapsedMs - age * 1000, elapsedMs, gap === null ? null : elapsedMs - gap * 1000)
  }
  const last = (messages.at(-1)?.[0] ?? 0) * 1000
  const span = seen.start(last)
  return span === null ? null : [span.from - START_MS, span.to - START_MS]
}

describe('the time by dated messages', () => {
  const cases: readonly (readonly [string, ReturnType<typeof start>, readonly number[] | null])[] = [
    ['is not known before the first', start(), null],
    ['is at least that of one', start([10, 3, 0]), [-3500, Number.POSITIVE_INFINITY]],
    ['is at least that of the youngest', start([10, 3, 0], [11, 2.5, 0]), [-3000, Number.POSITIVE_INFINITY]],
    ['is bounded by several', start([10, 3, 0], [12, 4, 0], [14, 5, 0]), [-3500, -2000]],
    ['is not bounded by two', start([10, 3, 0], [14, 3, 0]), [-3500, Number.POSITIVE_INFINITY]],
    ['is not bounded in no time', start([10, 3, 0], [11, 3, 0], [12, 3, 0]), [-3500, Number.POSITIVE_INFINITY]],
    ['is bounded by when they were not there', start([10, 3, 2], [12, 3, 2], [14, 3, 2]), [-3500, 0]],
    [
      'is not bounded by those that nobody looked for',
      start([50, 3, 30], [90, 3, 30], [130, 3, 30], [131, 3, null]),
      [-3500, Number.POSITIVE_INFINITY],
    ],
    [
      'is not bounded by those that become younger',
      start([10, 9, 0], [12, 7, 0], [14, 5, 0], [16, 3, 0]),
      [-3500, Number.POSITIVE_INFINITY],
    ],
  ]
  for (const [what, actual, expected] of cases) test(what, () => assert.deepEqual(actual, expected))
})
