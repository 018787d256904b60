import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isAbsoluteHttpUrl, isLongerThan, parseOwner, truncate, wellFormed } from '../../src/domain/text.js'

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

function urlOfLength(length: number): string {
  return 'https://example.com/'.padEnd(length, 'a')
}

describe('a callback URL (decisions 4)', () => {
  const accepted: readonly (readonly [string, string])[] = [
    ['https', 'https://example.com/hook'],
    ['http', 'http://example.com/hook'],
    ['a host alone', 'https://example.com'],
    ['an upper-case scheme', 'HTTPS://EXAMPLE.COM/Hook'],
    ['a port, a query and a fragment', 'http://example.com:8080/a?b=c&d=%20#e'],
    ['an IPv4 address', 'http://127.0.0.1:9000/'],
    ['an IPv6 address', 'http://[::1]/hook'],
    ['an at sign in the path', 'https://example.com/@shop'],
    ['an internationalised host', 'https://bücher.example/pfad'],
    ['a path that is not ASCII', 'https://example.com/größe/😀'],
    ['2048 characters', urlOfLength(2048)],
    ['2048 characters, astral ones among them', `${urlOfLength(2047)}😀`],
  ]
  for (const [what, url] of accepted) {
    test(`may have ${what}`, () => {
      assert.equal(isAbsoluteHttpUrl(url), true)
    })
  }

  const refused: readonly (readonly [string, string])[] = [
    ['javascript:', 'javascript:alert(1)'],
    ['javascript: with slashes', 'javascript://example.com/%0aalert(1)'],
    ['data:', 'data:text/html,hello'],
    ['file:', 'file:///etc/passwd'],
    ['ftp:', 'ftp://example.com/'],
    ['ws:', 'ws://example.com/'],
    ['a longer scheme that begins with https', 'httpsx://example.com/'],
    ['a path', '/hook'],
    ['a scheme-relative URL', '//example.com/hook'],
    ['a host without a scheme', 'example.com/hook'],
    ['a scheme without an authority', 'http:foo'],
    ['one slash', 'http:/example.com'],
    ['a scheme alone', 'http:'],
    ['a user and a password', 'https://user:password@example.com/'],
    ['a user alone', 'https://user@example.com/'],
    ['a password alone', 'https://:password@example.com/'],
    ['no host', 'http://'],
    ['a port without a host', 'http://:80/'],
    ['a query without a host', 'https://?a=b'],
    ['a port out of range', 'http://example.com:65536/'],
    ['backslashes', 'http:\\\\example.com\\'],
    ['a backslash in the path', 'http://example.com\\hook'],
    ['a space in front', ' https://example.com/'],
    ['a space behind', 'https://example.com/ '],
    ['a space within', 'https://example.com/a b'],
    ['a line feed', 'https://example.com/a\nb'],
    ['a tab in the scheme', 'ht\ttps://example.com/'],
    ['a NUL', 'https://example.com/\0'],
    ['a no-break space', 'https://example.com/\u00a0'],
    ['nothing', ''],
    ['2049 characters', urlOfLength(2049)],
    ['a broken IPv6 address', 'http://[::1/'],
    ['a host with a forbidden character', 'http://exa<mple.com/'],
  ]
  for (const [what, url] of refused) {
    test(`is not ${what}`, () => {
      assert.equal(isAbsoluteHttpUrl(url), false)
    })
  }
})
