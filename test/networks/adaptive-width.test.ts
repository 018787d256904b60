import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AdaptiveWidth } from '../../src/networks/adaptive-width.js'
import { Random } from '../simulation/random.js'

function succeed(width: AdaptiveWidth, times: number): readonly number[] {
  return Array.from({ length: times }, () => {
    width.succeeded()
    return width.value
  })
}

describe('an adaptive width', () => {
  test('doubles up to its limit while nothing is refused', () => {
    assert.deepEqual(succeed(new AdaptiveWidth(8, 50), 4), [16, 32, 50, 50])
    assert.equal(new AdaptiveWidth(8, 5).value, 5)
  })

  test('is halved by a refusal and then grows slowly', () => {
    const width = new AdaptiveWidth(16, 200)
    succeed(width, 2)
    width.refused(64)
    assert.equal(width.value, 32)
    assert.deepEqual(succeed(width, 16), [...Array(7).fill(32), ...Array(8).fill(36), 41])
    succeed(width, 7)
    width.refused(41)
    assert.equal(width.value, 41, 'it had held for long')
    succeed(width, 7)
    width.refused(41)
    assert.deepEqual(succeed(width, 8), [...Array(7).fill(20), 23])
  })

  test('a refusal of less than the width narrows to half of what was refused', () => {
    const width = new AdaptiveWidth(100, 200)
    width.refused(10)
    assert.equal(width.value, 5)
    width.refused(100)
    assert.equal(width.value, 5, 'what was asked before it was narrowed')
  })

  test('stays wide although one request in twenty fails, whatever its width', () => {
    const random = new Random(1)
    const width = new AdaptiveWidth(8, 50)
    let sum = 0
    for (let n = 0; n < 10_000; n += 1) {
      if (random.below(20) === 0) width.refused(width.value)
      else width.succeeded()
      sum += width.value
    }
    assert.ok(sum / 10_000 > 15, String(sum / 10_000))
  })

  test('comes near to what a node allows', () => {
    const width = new AdaptiveWidth(8, 200)
    let refusals = 0
    for (let n = 0; n < 1000; n += 1) {
      if (width.value <= 30) width.succeeded()
      else {
        refusals += 1
        width.refused(width.value)
      }
    }
    assert.ok(refusals < 60 && width.value >= 15 && width.value <= 33, `${refusals} refusals, ${width.value}`)
  })

  test('counts successes where it may not grow', () => {
    const width = new AdaptiveWidth(8, 50)
    for (let n = 0; n < 8; n += 1) width.succeeded(false)
    assert.deepEqual(
      [width.value, width.refused(8), width.value, width.refused(8), width.value],
      [8, false, 8, true, 4],
    )
  })

  test('never gets below one, and gets back from there', () => {
    const width = new AdaptiveWidth(2, 200)
    for (let i = 0; i < 5; i += 1) width.refused(width.value)
    assert.equal(width.value, 1)
    assert.equal(succeed(width, 16).at(-1), 3)
  })
})
