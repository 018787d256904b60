import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { equalConstantTime, hmacSha256 } from '../../src/crypto/hmac.js'

/** RFC 4231, 4.2 to 4.8. Case 5 gives only the first 128 bits. */
const vectors: readonly { key: Buffer; data: Buffer; hmac: string }[] = [
  {
    key: Buffer.alloc(20, 0x0b),
    data: Buffer.from('Hi There'),
    hmac: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    key: Buffer.from('Jefe'),
    data: Buffer.from('what do ya want for nothing?'),
    hmac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  {
    key: Buffer.alloc(20, 0xaa),
    data: Buffer.alloc(50, 0xdd),
    hmac: '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
  },
  {
    key: Buffer.from(Array.from({ length: 25 }, (_, i) => i + 1)),
    data: Buffer.alloc(50, 0xcd),
    hmac: '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  },
  {
    key: Buffer.alloc(20, 0x0c),
    data: Buffer.from('Test With Truncation'),
    hmac: 'a3b6167473100ee06e0c796c2955552b',
  },
  {
    key: Buffer.alloc(131, 0xaa),
    data: Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First'),
    hmac: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  },
  {
    key: Buffer.alloc(131, 0xaa),
    data: Buffer.from(
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    ),
    hmac: '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  },
]

const hmacSha256Hex = (...args: Parameters<typeof hmacSha256>) => hmacSha256(...args).toString('hex')

describe('HMAC-SHA256', () => {
  test('agrees with RFC 4231', () => {
    for (const { key, data, hmac } of vectors) {
      assert.equal(hmacSha256Hex(key, data).slice(0, hmac.length), hmac)
    }
  })

  test('takes its parts as one message, strings as UTF-8', () => {
    const key = Buffer.from('key')
    const whole = hmacSha256Hex(key, Buffer.from('1700\n{"name":"Grüße"}'))
    assert.equal(hmacSha256Hex(key, '1700', '\n', Buffer.from('{"name":"Grüße"}')), whole)
    assert.equal(hmacSha256Hex(key, '1700\n{"name":"Grüße"}'), whole)
    assert.notEqual(hmacSha256Hex(key, '1700', '{"name":"Grüße"}'), whole)
  })

  test('compares equal texts as equal and all others as different', () => {
    const text = hmacSha256Hex(Buffer.from('key'), 'message')
    assert.equal(equalConstantTime(text, `${text}`), true)
    assert.equal(equalConstantTime('', ''), true)
    for (const other of ['', text.slice(1), `${text}0`, text.toUpperCase(), `0${text.slice(1)}x`, `${text}é`]) {
      assert.equal(equalConstantTime(text, other), false, other)
    }
    // The same number of characters but not of bytes, which the comparison of bytes must not trip over.
    assert.equal(equalConstantTime('e', 'é'), false)
  })
})
