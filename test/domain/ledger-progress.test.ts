import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { advance, type ListingPosition, notRead } from '../../src/domain/ledger-progress.js'

const at = (timestampMs: number, umid: string) => ({ timestampMs, umid })
const position = (timestampMs: number, ...umids: readonly string[]): ListingPosition => ({ timestampMs, umids })

describe('a position in a listing', () => {
  const steps: readonly [
    what: string,
    before: ListingPosition,
    rows: readonly ReturnType<typeof at>[],
    ListingPosition,
  ][] = [
    ['stays behind nothing', position(5, 'a'), [], position(5, 'a')],
    ['names what was read of the same time', position(5, 'a'), [at(5, 'b'), at(5, 'c')], position(5, 'a', 'b', 'c')],
    ['forgets what was read of an earlier time', position(5, 'a', 'b'), [at(6, 'c')], position(6, 'c')],
    [
      'goes over several times at once',
      position(5, 'a'),
      [at(5, 'b'), at(6, 'c'), at(8, 'd'), at(8, 'e')],
      position(8, 'd', 'e'),
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
    assert.throws(() => advance(position(5), [at(4, 'a')]), /order of time/)
    assert.throws(() => advance(position(5), [at(7, 'a'), at(6, 'b')]), /order of time/)
  })

  test('tells what of a page was not read, each once and in order', () => {
    const page = [at(5, 'c'), at(5, 'a'), at(5, 'b'), at(5, 'c'), at(6, 'd')]
    assert.deepEqual(notRead(position(5, 'a', 'b'), page), [at(5, 'c'), at(6, 'd')])
    assert.deepEqual(notRead(position(5), []), [])
  })
})
