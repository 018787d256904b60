import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { playHistory } from './history.js'

const FIXED_SEEDS = 12
const FRESH_SEEDS = 2 ** 40

describe('a chain with reorganisations, faulty nodes and crashes is watched as a scan of its end would have it', () => {
  test(`seeds 1 to ${FIXED_SEEDS}`, async () => {
    let undone = 0
    let repaired = 0
    for (let seed = 1; seed <= FIXED_SEEDS; seed += 1) {
      const tally = await playHistory(seed).catch((error: unknown) => {
        throw new Error(`node dist/test/networks/histories.js --seed ${seed}`, { cause: error })
      })
      undone += tally.undone
      repaired += tally.repaired
    }
    assert.ok(undone > 0 && repaired > 0, 'nothing happened')
  })

  test('a fresh seed', async (t) => {
    const seed = randomInt(FRESH_SEEDS)
    t.diagnostic(`node dist/test/networks/histories.js --seed ${seed}`)
    await playHistory(seed)
  })
})
