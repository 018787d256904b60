import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { backOffMs } from '../../src/base/back-off.js'

describe('the back-off', () => {
  test('doubles with each failure up to its cap', () => {
    const pauses = [1, 2, 3, 4, 5, 2000].map((failures) => backOffMs(failures, { firstMs: 100, maxMs: 1000 }))
    assert.deepEqual(pauses, [100, 200, 400, 800, 1000, 1000])
  })

  test('lies between half of the pause and all of it where there is jitter', () => {
    const jittered = (random: number) => backOffMs(2, { firstMs: 100, maxMs: 1000, random: () => random })
    assert.deepEqual([0, 0.5, 0.999_999].map(jittered), [100, 150, 200])
  })

  test('is none where the first pause is none', () => {
    assert.equal(backOffMs(5000, { firstMs: 0, maxMs: 1000 }), 0)
  })
})
