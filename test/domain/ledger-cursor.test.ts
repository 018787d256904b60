import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { advance, type LedgerCursor, notTaken } from '../../src/domain/ledger-cursor.js'

const at = (timestampMs: number, umid: string) => ({ timestampMs, umid })
const cursor = (timestampMs: number, ...umids: readonly string[]): LedgerCursor => ({
  origin: 'a ledger',
  timestampMs,
  umids,
})

describe('the cursor of a ledger', () => {
  const steps: readonly [what: string, before: LedgerCursor, rows: readonly ReturnType<typeof at>[], LedgerCursor][] = [
    ['stays behind nothing', cursor(5, 'a'), [], cursor(5, 'a')],
    ['names what was taken of the same time', cursor(5, 'a'), [at(5, 'b'), at(5, 'c')], cursor(5, 'a', 'b', 'c')],
    ['forgets what was taken of an earlier time', cursor(5, 'a', 'b'), [at(6, 'c')], cursor(6, 'c')],
    [
      'goes over several times at once',
      cursor(5, 'a'),
      [at(5, 'b'), at(6, 'c'), at(8, 'd'), at(8, 'e')],
      cursor(8, 'd', 'e'),
    ],
  ]
  for (const [what, before, rows, after] of steps) {
    test(what, () => {
      const kept = structuredClone(before)
      assert.deepEqual(advance(before, rows), after)
      assert.deepEqual(before, kept)
    })
  }

  test('never goes back', () => {
    assert.throws(() => advance(cursor(5), [at(4, 'a')]), /order of time/)
    assert.throws(() => advance(cursor(5), [at(7, 'a'), at(6, 'b')]), /order of time/)
  })

  test('tells what of a page was not taken, each once and in order', () => {
    const page = [at(5, 'c'), at(5, 'a'), at(5, 'b'), at(5, 'c'), at(6, 'd')]
    assert.deepEqual(notTaken(cursor(5, 'a', 'b'), page), [at(5, 'c'), at(6, 'd')])
    assert.deepEqual(notTaken(cursor(5), []), [])
  })
})
