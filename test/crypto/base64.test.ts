import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { base64Length, decodeBase64 } from '../../src/crypto/base64.js'

describe('strict base64', () => {
  test('reads the examples of RFC 4648, with and without padding', () => {
    const examples: [string, string][] = [
      ['', ''],
      ['f', 'Zg=='],
      ['fo', 'Zm8='],
      ['foo', 'Zm9v'],
      ['foob', 'Zm9vYg=='],
      ['fooba', 'Zm9vYmE='],
      ['foobar', 'Zm9vYmFy'],
    ]
    for (const [plain, text] of examples) {
      assert.deepEqual(decodeBase64(Buffer.from(text)), Buffer.from(plain), text)
      assert.deepEqual(decodeBase64(Buffer.from(text.replaceAll('=', ''))), Buffer.from(plain), text)
    }
  })

  test('reads every byte at every position', () => {
    for (let length = 0; length < 80; length++) {
      const bytes = randomBytes(length)
      const text = bytes.toString('base64')
      assert.equal(text.length, base64Length(length))
      assert.deepEqual(decodeBase64(Buffer.from(text)), bytes, text)
    }
    const all = Buffer.from(Array.from({ length: 256 }, (_, value) => value))
    assert.deepEqual(decodeBase64(Buffer.from(all.toString('base64'))), all)
  })

  const refused = [
    'Z',
    // A digit left over, even one whose bits are all zero.
    'A',
    'AAAAA',
    'A===',
    'AAAAA===',
    'Zm9vY',
    '=',
    '==',
    '===',
    '====',
    'Z=',
    'Z==',
    'Z===',
    'Zg=',
    'Zg===',
    'Zm8==',
    'Zm9v=',
    'Zm9v==',
    'Zm9v====',
    'Zg==Zg==',
    'Zg==Zm9v',
    'Z=g=',
    // Bits after the last byte that are not zero.
    'Zh==',
    'Zh',
    'Zv',
    'Zm9=',
    'Zm9',
    // Characters outside of the alphabet.
    'Zm9v\n',
    '\nZm9v',
    ' Zm9v',
    'Zm9v ',
    'Zm\r\n9v',
    'Zm9\u0000',
    'Zm9-',
    'Zm9_',
    'Zm9.',
    'Zm9,',
    'Zm9é',
    'Zm\u0159v',
    'Zm9\u{1f600}',
    // U+0166 has the low byte of "f": it must not be taken for it.
    'Zm\u01666',
  ]
  for (const text of refused) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(decodeBase64(Buffer.from(text)), null)
    })
  }
})
