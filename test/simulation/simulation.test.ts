import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { makeScript } from './script.js'
import { play } from './simulate.js'

const STEPS = 1500
const FIXED_SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

describe('the simulated core answers like the model', () => {
  for (const seed of FIXED_SEEDS) {
    test(`seed ${seed}, ${STEPS} steps`, async () => {
      const run = await play(makeScript(seed, STEPS))
      assert.equal(run.violation, null, run.violation?.violation.message)
      assert.ok(run.tally.commands > 0 && run.tally.calls > 0)
    })
  }

  test('the same seed plays the same run, and another seed another', async () => {
    const seed = randomInt(2 ** 30)
    const [first, again, other] = [
      await play(makeScript(seed, 300)),
      await play(makeScript(seed, 300)),
      await play(makeScript(seed + 1, 300)),
    ]
    assert.equal(first.digest, again.digest, `seed ${seed}`)
    assert.notEqual(first.digest, other.digest, `seed ${seed}`)
  })
})
