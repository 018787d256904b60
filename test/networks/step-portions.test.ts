import assert from 'node:assert/strict'
import { test } from 'node:test'
import { millisecond } from '../../src/domain/received-at.js'
import { portionsOf } from '../../src/networks/step-portions.js'

const TRANSFERS_MAX = 5
const BLOCKS_MAX = 3

const rows: readonly (readonly [string, readonly number[], readonly (readonly number[])[]])[] = [
  ['none', [], []],
  ['few transfers', [1, 0, 4], [[1, 0, 4]]],
  ['one transfer too many', [1, 4, 1], [[1, 4], [1]]],
  ['a block as large as a portion', [5, 0, 1], [[5, 0], [1]]],
  ['a block larger than a portion, never divided', [1, 9, 1], [[1], [9], [1]]],
  [
    'too many blocks',
    [0, 0, 0, 0, 1],
    [
      [0, 0, 0],
      [0, 1],
    ],
  ],
]
for (const [what, transfers, expected] of rows) {
  test(`blocks are divided for steps: ${what}`, () => {
    const blocks = transfers.map((count, height) => ({
      height,
      hash: `${height}`,
      parentHash: `${height - 1}`,
      ...millisecond(height),
      transfers: Array.from({ length: count }, (_, index) => ({
        txHash: `${height}`,
        index,
        toAddress: 'a',
        currency: null,
        amount: '1',
      })),
    }))
    const portions = portionsOf(blocks, TRANSFERS_MAX, BLOCKS_MAX)
    assert.deepEqual(portions.flat(), blocks)
    assert.deepEqual(
      portions.map((portion) => portion.map((block) => block.transfers.length)),
      expected,
    )
  })
}
