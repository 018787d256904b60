import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Claim, waveOf } from '../../../../src/store/postgres/deposits/waves.js'

function claim(changes: string, reads = '', flags: Partial<Pick<Claim, 'isAlone' | 'isOrdered'>> = {}): Claim {
  return { changes: [...changes], reads: [...reads], isAlone: false, isOrdered: false, ...flags }
}

describe('the deposits that are recorded together', () => {
  const rows: readonly (readonly [string, readonly Claim[], readonly number[]])[] = [
    ['are none of none', [], []],
    ['are all that have nothing in common', [claim('a'), claim('b'), claim('c')], [0, 1, 2]],
    ['are not two that change the same', [claim('a'), claim('a'), claim('b')], [0, 2]],
    ['are not one that depends on what an earlier one changes', [claim('a'), claim('b', 'a')], [0]],
    ['are not one that changes what an earlier one depends on', [claim('b', 'a'), claim('a')], [0]],
    ['are two that depend on the same', [claim('a', 'x'), claim('b', 'x')], [0, 1]],
    ['are not one behind one that waits itself', [claim('a'), claim('b', 'a'), claim('c', 'b')], [0]],
    ['are one alone that must be', [claim('a', '', { isAlone: true }), claim('b')], [0]],
    ['are those before one that must be alone', [claim('a'), claim('b', '', { isAlone: true }), claim('c')], [0]],
    [
      'are not those behind one that waits and is ordered',
      [claim('a'), claim('a', '', { isOrdered: true }), claim('c')],
      [0],
    ],
    [
      'are those behind one that is ordered and does not wait',
      [claim('a', '', { isOrdered: true }), claim('c')],
      [0, 1],
    ],
  ]
  for (const [what, claims, expected] of rows) {
    test(what, () => assert.deepEqual(waveOf(claims), expected))
  }
})
