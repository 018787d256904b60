import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AdaptiveWidth } from '../../src/networks/adaptive-width.js'

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

  test('never gets below one, and gets back from there', () => {
    const width = new AdaptiveWidth(2, 200)
    for (let i = 0; i < 5; i += 1) width.refused(width.value)
    assert.equal(width.value, 1)
    assert.equal(succeed(width, 16).at(-1), 3)
  })
})
