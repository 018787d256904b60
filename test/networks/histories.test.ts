import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { CATALOGUE } from '../support/catalogue.js'
import { playHistory } from './history.js'

const FIXED_SEEDS = 3
const FRESH_SEEDS = 2 ** 40

describe('a chain with reorganisations, faulty nodes and crashes is watched as a scan of its end would have it', () => {
  const fresh = randomInt(FRESH_SEEDS)
  for (const [i, entry] of CATALOGUE.entries()) {
    // Each network has seeds of its own, so that they differ in more than their names.
    const fixed = Array.from({ length: FIXED_SEEDS }, (_, n) => 1 + i * FIXED_SEEDS + n)
    test(`${entry.id}: seeds ${fixed.join(', ')}, and a fresh one`, async () => {
      let undone = 0
      let repaired = 0
      for (const seed of [...fixed, fresh + i]) {
        const tally = await playHistory(seed, entry).catch((error: unknown) => {
          throw new Error(`node dist/test/networks/histories.js --seed ${seed} --network ${entry.id}`, { cause: error })
        })
        undone += tally.undone
        repaired += tally.repaired
      }
      assert.ok(undone > 0 && repaired > 0, 'nothing happened')
    })
  }
})
