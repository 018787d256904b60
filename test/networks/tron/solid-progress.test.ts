import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SolidProgress, STANDING_BLOCKS, UNCONFIRMED_MAX } from '../../../src/networks/tron/solid-progress.js'

/** What a node says one time after the other: its newest block, the newest solidified one, and how many wait for too long. */
const cases: readonly (readonly [
  name: string,
  ...(readonly [latest: number, solid: number, waiting: number | null])[],
])[] = [
  ['that keeps up is well', [100, 82, null], [109, 91, null], [118, 100, null]],
  ['that is far behind waits at once', [100, 100 - UNCONFIRMED_MAX, null], [101, 100 - UNCONFIRMED_MAX, 33]],
  ['that was far behind is well when it is not any more', [100, 60, 40], [101, 83, null]],
  [
    'of one producer that stands waits soon',
    [100, 100, null],
    [100 + STANDING_BLOCKS, 100, null],
    [101 + STANDING_BLOCKS, 100, 15],
    [102 + STANDING_BLOCKS, 116, null],
  ],
  [
    'where other producers take their turns is well',
    [100, 82, null],
    [109, 82, null],
    [112, 86, null],
    [121, 103, null],
  ],
  ['that gets on by single blocks is well', [100, 90, null], [110, 91, null], [120, 92, null]],
  ['with a newest block that does not get on, either, is well', [100, 82, null], [100, 82, null], [100, 82, null]],
  ['that is further than the newest block is well', [100, 120, null], [119, 120, null]],
  ['whose chain begins anew is well', [500, 482, null], [40, 22, null], [54, 36, null]],
]

describe('the solidified side of a node', () => {
  for (const [name, ...heads] of cases) {
    test(name, () => {
      const progress = new SolidProgress()
      assert.deepEqual(
        heads.map(([latest, solid]) => {
          progress.note(latest, solid)
          return progress.waiting(latest)
        }),
        heads.map(([, , waiting]) => waiting),
      )
    })
  }
})
