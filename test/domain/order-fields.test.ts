import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { flawOfOrder } from '../../src/domain/invoice-flaw.js'
import {
  areAbsent,
  metadataOfText,
  metadataText,
  NO_ORDER_FIELDS,
  type OrderFields,
  parseOrderFields,
  readMetadata,
  storedOrderNumber,
} from '../../src/domain/order-fields.js'

function read(body: Readonly<Record<string, unknown>>): OrderFields | string {
  const outcome = parseOrderFields(body)
  return outcome.ok ? outcome.value : outcome.failure.code
}

/** Two UTF-16 units, one character. */
const WIDE = '\u{1f600}'
const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, n) => [`k${n}`, '']))

describe('the fields of an order', () => {
  test('are all optional', () => {
    for (const body of [
      {},
      { returnUrl: null, orderNumber: null, metadata: null },
      { returnUrl: '', orderNumber: '' },
    ]) {
      assert.equal(read(body), NO_ORDER_FIELDS)
    }
    assert.deepEqual([areAbsent(NO_ORDER_FIELDS), read({ metadata: {} })], [true, NO_ORDER_FIELDS])
    for (const one of [{ returnUrl: 'https://x/' }, { orderNumber: '0' }, { metadata: { a: '' } }]) {
      assert.deepEqual(read(one), { ...NO_ORDER_FIELDS, ...one })
      assert.equal(areAbsent({ ...NO_ORDER_FIELDS, ...one }), false)
    }
  })

  for (const [url, isTaken] of [
    ['http://shop.example', true],
    ['HTTPS://shop.example/orders/7?a=b#c', true],
    [`https://x/${'p'.repeat(2038)}`, true],
    [`https://x/${'p'.repeat(2039)}`, false],
    ['https://user@shop.example/', false],
    ['https://user:secret@shop.example/', false],
    ['javascript:alert(1)', false],
    [' javascript:alert(1)', false],
    ['java\nscript:alert(1)', false],
    ['data:text/html,<script>', false],
    ['/orders/7', false],
    ['//shop.example', false],
    ['shop.example', false],
    ['https://', false],
    ['https://shop.example/\u001b[2J', false],
    [7, false],
    [['https://shop.example'], false],
    [{ toString: 'https://shop.example' }, false],
    [false, false],
  ] as const) {
    test(`the returnUrl ${JSON.stringify(url).slice(0, 50)} is ${isTaken ? 'taken' : 'refused'}`, () => {
      assert.deepEqual(
        read({ returnUrl: url }),
        isTaken ? { ...NO_ORDER_FIELDS, returnUrl: url } : 'invalid_return_url',
      )
    })
  }

  test('an order number is a text, truncated to 80 characters, and otherwise as it was sent', () => {
    for (const [sent, kept] of [
      [' A-7 ', ' A-7 '],
      [' ', ' '],
      ['<b>\u001b[31m\0', '<b>\u001b[31m\0'],
      ['n'.repeat(81), 'n'.repeat(80)],
      [WIDE.repeat(81), WIDE.repeat(80)],
      ['\ud800', '\ufffd'],
      [`${'n'.repeat(79)}${WIDE}x`, `${'n'.repeat(79)}${WIDE}`],
    ] as const) {
      assert.deepEqual(read({ orderNumber: sent }), { ...NO_ORDER_FIELDS, orderNumber: kept })
      assert.deepEqual([storedOrderNumber(sent), storedOrderNumber(kept)], [kept, kept])
    }
    for (const wrong of [7, 0, false, [], ['7'], {}]) assert.equal(read({ orderNumber: wrong }), 'invalid_order_number')
  })

  for (const [what, value, isTaken] of [
    ['20 texts', many(20), true],
    ['21 texts', many(21), false],
    ['a key of 40 characters', { [WIDE.repeat(40)]: '' }, true],
    ['a key of 41 characters', { [WIDE.repeat(41)]: '' }, false],
    ['a value of 500 characters', { a: WIDE.repeat(500) }, true],
    ['a value of 501 characters', { a: WIDE.repeat(501) }, false],
    ['an empty key', { '': '' }, true],
    ['a number', { a: 1 }, false],
    ['a null', { a: null }, false],
    ['an object', { a: {} }, false],
    ['a list', ['a'], false],
    ['an empty list', [], false],
    ['a text', 'a', false],
    ['an empty text', '', false],
    ['a number alone', 7, false],
    ['true', true, false],
  ] as const) {
    test(`metadata of ${what} is ${isTaken ? 'taken' : 'refused'}`, () => {
      assert.deepEqual(
        read({ metadata: value }),
        isTaken ? { ...NO_ORDER_FIELDS, metadata: value } : 'invalid_metadata',
      )
    })
  }

  test('keys that mean something to objects are data', () => {
    const text = '{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d"}'
    const metadata = readMetadata(JSON.parse(text))
    assert.ok(metadata)
    assert.equal(Object.getPrototypeOf(metadata), Object.prototype)
    assert.equal(metadataText(metadata), text)
    assert.equal(metadataText(metadataOfText(text) ?? {}), text)
    assert.equal(read({ metadata: JSON.parse('{"__proto__": {"a": "b"}}') }), 'invalid_metadata')
    assert.equal('polluted' in {}, false)
  })

  test('lone surrogates of metadata become U+FFFD', () => {
    assert.deepEqual(readMetadata({ 'a\ud800': '\udc00' }), { 'a\ufffd': '\ufffd' })
  })

  test('metadata that a store kept is read again, and nothing else is', () => {
    for (const text of ['', '{', '[]', '7', '{"a":1}', JSON.stringify(many(21)), '{}']) {
      assert.equal(metadataOfText(text), undefined, text)
    }
  })

  test('of an imported record are refused for what the API refuses or would have cut', () => {
    const flaw = (order: Partial<OrderFields>) => flawOfOrder({ ...NO_ORDER_FIELDS, ...order })
    assert.equal(flaw({ returnUrl: 'https://x/', orderNumber: WIDE.repeat(80) }), null)
    assert.match(flaw({ returnUrl: 'javascript:alert(1)' }) ?? '', /^returnUrl/)
    assert.match(flaw({ orderNumber: WIDE.repeat(81) }) ?? '', /^orderNumber/)
  })
})
