import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  bigintFromBytes,
  bigintToBytes,
  endOf,
  isKey,
  numberKey,
  sortableAmount,
  sortableText,
  under,
} from '../../../src/store/lmdb/tables/keys.js'

const amount = fc.bigInt({ min: 0n, max: 2n ** 330n })
const number = fc.integer({ min: 0, max: 0xffff_ffff })

function sign(value: number): number {
  return value === 0 ? 0 : value < 0 ? -1 : 1
}

describe('keys', () => {
  test('of amounts sort by value, and equal amounts have one key', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const byValue = a === b ? 0 : a < b ? -1 : 1
        assert.equal(sign(Buffer.compare(sortableAmount(a), sortableAmount(b))), byValue)
      }),
    )
  })

  test('of neighbouring amounts around every byte length sort by value', () => {
    for (let bits = 0n; bits <= 320n; bits += 8n) {
      const edge = 2n ** bits
      assert.ok(Buffer.compare(sortableAmount(edge - 1n), sortableAmount(edge)) < 0)
      assert.ok(Buffer.compare(sortableAmount(edge), sortableAmount(edge + 1n)) < 0)
    }
  })

  test('of numbers sort by value', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        assert.equal(sign(Buffer.compare(numberKey(a), numberKey(b))), Math.sign(a - b))
      }),
    )
  })

  test('under one number stay together, before those of the next', () => {
    const rest = fc.uint8Array({ maxLength: 8 })
    fc.assert(
      fc.property(number, number, rest, rest, (a, b, restA, restB) => {
        const expected = a === b ? sign(Buffer.compare(restA, restB)) : Math.sign(a - b)
        assert.equal(sign(Buffer.compare(under(a, restA), under(b, restB))), expected)
      }),
    )
  })

  test('that start with a prefix are not behind its end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 6 }), fc.uint8Array({ maxLength: 4 }), (prefix, tail) => {
        const key = Buffer.concat([prefix, tail])
        assert.ok(Buffer.compare(key, endOf(prefix, prefix.length + 4)) <= 0)
      }),
    )
  })

  test('have at least one byte, and not more than LMDB takes', () => {
    assert.deepEqual(
      [0, 1, 1978, 1979].map((length) => isKey(Buffer.alloc(length))),
      [false, true, true, false],
    )
  })
})

test('amounts come back from their bytes', () => {
  fc.assert(fc.property(amount, (value) => assert.equal(bigintFromBytes(bigintToBytes(value)), value)))
  assert.equal(bigintToBytes(0n).length, 0)
  assert.equal(bigintToBytes(255n).length, 1)
  assert.equal(bigintToBytes(256n).length, 2)
})

test('a text within a key ends before every text that goes on, whatever characters it has', () => {
  const texts = ['', '\0', '\u0001', 'x', 'x\0', 'x\u00010', 'x0', 'x\uffff', 'x\u{10ffff}', 'y']
  const keys = texts.map(sortableText)
  for (const one of keys) {
    for (const other of keys) assert.ok(one === other || !other.subarray(0, one.length).equals(one), `${one} ${other}`)
  }
  const [x = Buffer.of(), longer = Buffer.of()] = ['x', 'x\0'].map(sortableText)
  assert.ok(Buffer.compare(x, longer) < 0)
})
