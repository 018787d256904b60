import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CATALOGUE } from '../support/catalogue.js'
import { seedsOf } from '../support/seeds.js'
import { playHistory } from './history.js'

describe('a chain with reorganisations, faulty nodes and crashes is watched as a scan of its end would have it', () => {
  let repaired = 0
  for (const [i, entry] of CATALOGUE.entries()) {
    // Each network has seeds of its own, so that they differ in more than their names.
    const seeds = seedsOf(1 + 3 * i)
    test(`${entry.id}: seeds ${seeds.join(', ')}`, async () => {
      let undone = 0
      for (const seed of seeds) {
        const tally = await playHistory(seed, entry).catch((error: unknown) => {
          throw new Error(`node dist/test/networks/histories.js --seed ${seed} --network ${entry.id}`, { cause: error })
        })
        undone += tally.undone
        repaired += tally.repaired
      }
      assert.ok(undone > 0, 'nothing happened')
    })
  }

  test('in some of which crashes left something to repair', () => assert.ok(repaired > 0))
})
