import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseOwner } from '../../src/domain/identity.js'
import { isLongerThan, truncate, wellFormed } from '../../src/domain/text.js'

describe('truncation (decisions 1)', () => {
  const rows: readonly (readonly [string, string, number, string])[] = [
    ['shorter than the limit', 'abc', 4, 'abc'],
    ['as long as the limit', 'abcd', 4, 'abcd'],
    ['longer than the limit', 'abcde', 4, 'abcd'],
    ['astral characters within the limit', '😀😀', 2, '😀😀'],
    ['astral characters beyond the limit', '😀😀😀', 2, '😀😀'],
    ['an astral character across the limit', 'a😀b', 2, 'a😀'],
    ['nothing', '', 3, ''],
  ]
  for (const [what, text, limit, expected] of rows) {
    test(`${what}: ${limit} of '${text}' are '${expected}'`, () => {
      assert.equal(truncate(text, limit), expected)
    })
  }

  test('keeps the first code points of any text and leaves it well-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 12 }), (text, limit) => {
        const expected = [...text].slice(0, limit).join('')
        assert.equal(truncate(text, limit), expected)
        assert.equal(truncate(text, limit).isWellFormed(), true)
        assert.equal(isLongerThan(text, limit), [...text].length > limit)
      }),
    )
  })
})

test('lone surrogates become U+FFFD, pairs stay', () => {
  assert.equal(wellFormed('a\ud800b'), 'a\ufffdb')
  assert.equal(wellFormed('\udc00'), '\ufffd')
  assert.equal(wellFormed('\ude00\ud83d'), '\ufffd\ufffd')
  assert.equal(wellFormed('😀'), '😀')
})

describe('an owner (decisions 3)', () => {
  const rows: readonly (readonly [string, unknown, string | null])[] = [
    ['a text', 'alice', 'alice'],
    ['a text with spaces around it', ' \t alice \n', 'alice'],
    ['128 characters', 'x'.repeat(128), 'x'.repeat(128)],
    ['129 characters', 'x'.repeat(129), null],
    ['128 astral characters', '😀'.repeat(128), '😀'.repeat(128)],
    ['129 astral characters', '😀'.repeat(129), null],
    ['128 characters once trimmed', ` ${'x'.repeat(128)} `, 'x'.repeat(128)],
    ['a lone surrogate', 'a\ud800', 'a\ufffd'],
    ['nothing', '', null],
    ['spaces', '   ', null],
    ['a number', 7, null],
    ['null', null, null],
    ['undefined', undefined, null],
    ['a list', ['alice'], null],
    ['an object', { toString: () => 'alice' }, null],
  ]
  for (const [what, value, expected] of rows) {
    test(`${what} is ${expected === null ? 'refused' : 'taken'}`, () => {
      assert.equal(parseOwner(value), expected)
    })
  }
})
