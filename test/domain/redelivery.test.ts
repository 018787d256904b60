import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redeliveryWaitMs } from '../../src/domain/redelivery.js'

const AT = 1_700_000_000_000

for (const [what, attemptsBefore, attemptedAt, nowMs, expected] of [
  ['was not sent yet', 0, null, AT, 0],
  ['was just sent for the first time', 0, AT, AT, 0],
  ['was just redelivered', 1, AT, AT, 60_000],
  ['was redelivered half a minute ago', 1, AT, AT + 30_000, 30_000],
  ['was redelivered a minute ago', 3, AT, AT + 60_000, 0],
  ['was redelivered long ago', 1, AT, AT + 600_000, 0],
  ['was redelivered in the future of a clock that was set back', 1, AT, AT - 600_000, 60_000],
] as const) {
  test(`a delivery that ${what} may be redelivered after ${expected} ms`, () => {
    assert.equal(redeliveryWaitMs({ attemptsBefore, attemptedAt }, nowMs), expected)
  })
}
