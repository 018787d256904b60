import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ObservedBlock, sightedAgain, sightingsIn, sightingsOf } from '../../src/domain/block.js'
import type { BlockTime } from '../../src/domain/received-at.js'
import { millisecond, receivedAtOf, wholeSecond } from '../../src/domain/received-at.js'

/** The second that a block names. */
const SECOND_MS = 1_700_000_000_000
const whole = wholeSecond(SECOND_MS)
const exact = millisecond(SECOND_MS + 123)

describe('a deposit of a block was received', () => {
  const rows: readonly (readonly [string, BlockTime, number | null, number])[] = [
    ['when it was seen within the second', whole, 250, 250],
    ['when it was seen as the second began', whole, 0, 0],
    ['when it was seen in the last millisecond', whole, 999, 999],
    ['at the end of the second, if it was over', whole, 1000, 999],
    ['at the end of the second, if it was over long ago', whole, 3_600_000, 999],
    ['at the end of the second, if it had not begun by our clock', whole, -1, 999],
    ['at the end of the second, if the block is read again', whole, null, 999],
    ['at the millisecond of its block, whenever it was seen', exact, 250, 123],
    ['at the millisecond of its block, if it was seen then', exact, 123, 123],
    ['at the millisecond of its block, if that is to come by our clock', exact, 0, 123],
    ['at the millisecond of its block, if the block is read again', exact, null, 123],
  ]
  for (const [what, time, seenMs, expectedMs] of rows) {
    test(what, () => {
      const seenAtMs = seenMs === null ? null : SECOND_MS + seenMs
      assert.equal(receivedAtOf(time, seenAtMs), SECOND_MS + expectedMs)
    })
  }
})

describe('the sightings of a step', () => {
  const transfer = { txHash: 'x', index: 0, toAddress: 'us', currency: '#native', amount: '1' } as const
  const block: ObservedBlock = { height: 1, hash: 'a1', parentHash: 'a0', ...whole, transfers: [transfer] }
  const times = (step: Parameters<typeof sightingsOf>[0]) => sightingsOf(step).map(({ receivedAt }) => receivedAt)

  test('have the moment of first sight when blocks are new, and none when they are read again', () => {
    const about = { network: 'SEP', blocks: [block] } as const
    const seenAtMs = SECOND_MS + 7
    assert.deepEqual(times({ type: 'append', ...about, isConfirmed: false, seenAtMs }), [SECOND_MS + 7])
    assert.deepEqual(times({ type: 'append', ...about, isConfirmed: true, seenAtMs }), [SECOND_MS + 7])
    assert.deepEqual(times({ type: 'confirm', ...about }), [SECOND_MS + 999])
    assert.deepEqual(times({ type: 'undo', network: 'SEP', above: 0 }), [])
  })

  const [sighting] = sightingsIn('SEP', block, null)
  const rows: readonly (readonly [string, number, number])[] = [
    ['at its first millisecond', 0, 0],
    ['at its last millisecond', 999, 999],
    ['before it', -1, 999],
    ['after it', 1000, 999],
  ]
  for (const [what, knownMs, expectedMs] of rows) {
    test(`of a deposit that is known of the block's second, ${what}`, () => {
      assert.ok(sighting !== undefined)
      const known = { ...sighting, receivedAt: SECOND_MS + knownMs }
      assert.equal(sightedAgain(block, sighting, known).receivedAt, SECOND_MS + expectedMs)
      assert.equal(sightedAgain(block, sighting, undefined), sighting)
    })
  }
})
