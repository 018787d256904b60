import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BlockHead, ChainPosition } from '../../src/domain/block.js'
import { confirmedAfterUndo, isConsecutive, mayAppend, mayConfirm } from '../../src/domain/block.js'

/** A block of branch `a`, or on one of another branch. */
function head(height: number, branch = 'a', parent = branch): BlockHead {
  return { height, hash: `${branch}${height}`, parentHash: `${parent}${height - 1}`, timeMs: height }
}

const blocks = (...heads: readonly BlockHead[]) =>
  heads.map((one) => ({ ...one, timeEndMs: one.timeMs, transfers: [] }))
const at = (tip: number, confirmed: number): ChainPosition => ({ tip: head(tip), confirmed, oldest: 1 })

describe('blocks are consecutive', () => {
  const rows: readonly (readonly [string, readonly BlockHead[], boolean])[] = [
    ['none', [], false],
    ['one', [head(5)], true],
    ['the first of all', [head(0), head(1)], true],
    ['linked', [head(5), head(6), head(7)], true],
    ['a gap', [head(5), head(7)], false],
    ['one twice', [head(5), head(5)], false],
    ['backwards', [head(6), head(5)], false],
    ['another parent', [head(5), head(6, 'b')], false],
    ['another branch from a common parent', [head(5), head(6, 'b', 'a')], true],
    ['the right parent at a wrong height', [head(5), { ...head(7), parentHash: 'a5' }], false],
  ]
  for (const [what, heads, expected] of rows) {
    test(`${what}: ${expected}`, () => assert.equal(isConsecutive(heads), expected))
  }
})

describe('blocks may be appended', () => {
  const rows: readonly (readonly [string, ChainPosition | null, readonly BlockHead[], boolean, boolean])[] = [
    ['as the first ones, confirmed', null, [head(5), head(6)], true, true],
    ['as the first ones, not confirmed', null, [head(5)], false, true],
    ['none', null, [], false, false],
    ['behind the tip', at(4, 2), [head(5)], false, true],
    ['behind another block than the tip', at(4, 2), [head(5, 'b')], false, false],
    ['with a gap', at(4, 2), [head(6)], false, false],
    ['once more', at(4, 2), [head(4)], false, false],
    ['confirmed behind a confirmed tip', at(4, 4), [head(5)], true, true],
    ['confirmed behind a tip that is not', at(4, 3), [head(5)], true, false],
  ]
  for (const [what, position, heads, isConfirmed, expected] of rows) {
    test(`${what}: ${expected}`, () => {
      const step = { type: 'append', network: 'SEP', blocks: blocks(...heads), isConfirmed, seenAtMs: 0 } as const
      assert.equal(mayAppend(position, step), expected)
    })
  }
})

describe('blocks may be confirmed', () => {
  const rows: readonly (readonly [string, ChainPosition | null, readonly BlockHead[], boolean])[] = [
    ['before there are any', null, [head(3)], false],
    ['none', at(4, 2), [], false],
    ['the next one', at(4, 2), [head(3)], true],
    ['all', at(4, 2), [head(3), head(4)], true],
    ['more than there are', at(4, 2), [head(3), head(4), head(5)], false],
    ['not the next one', at(4, 2), [head(4)], false],
    ['one that is confirmed', at(4, 2), [head(2)], false],
    ['that are not consecutive', at(5, 2), [head(3), head(5)], false],
  ]
  for (const [what, position, heads, expected] of rows) {
    test(`${what}: ${expected}`, () => assert.equal(mayConfirm(position, heads), expected))
  }
})

test('what is undone is not confirmed any more', () => {
  assert.equal(confirmedAfterUndo(at(9, 4), 6), 4)
  assert.equal(confirmedAfterUndo(at(9, 4), 3), 3)
})
