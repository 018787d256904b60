import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseTronJson } from '../../../src/networks/tron/values.js'

const values: readonly (readonly [text: string, value: unknown])[] = [
  ['{"amount":1000000}', { amount: 1_000_000 }],
  ['{"amount":9007199254740991}', { amount: 9_007_199_254_740_991 }],
  ['{"amount":9007199254740992}', { amount: 9_007_199_254_740_992n }],
  ['{"amount":9007199254740993}', { amount: 9_007_199_254_740_993n }],
  ['{"amount": -9223372036854775808}', { amount: -9_223_372_036_854_775_808n }],
  ['[1,9223372036854775807]', [1, 9_223_372_036_854_775_807n]],
  ['[9223372036854775807 , 2.5]', [9_223_372_036_854_775_807n, 2.5]],
  ['{"a":\n9223372036854775807}', { a: 9_223_372_036_854_775_807n }],
  ['{"id":"9223372036854775807"}', { id: '9223372036854775807' }],
  ['{"id":": 9223372036854775807","n":1}', { id: ': 9223372036854775807', n: 1 }],
]

describe('JSON of TRON nodes', () => {
  for (const [text, value] of values) test(text, () => assert.deepEqual(parseTronJson(text), value))

  test('what no double and no int64 holds is never a safe integer', () => {
    for (const digits of [41, 400]) {
      const value = parseTronJson(`[${'9'.repeat(digits)}]`) as unknown[]
      assert.ok(!Number.isSafeInteger(value[0]) && typeof value[0] !== 'bigint')
    }
  })

  for (const text of ['', '{', '{"a":}', '{"a":01}', '[9223372036854775807,]', '{"a":9223372036854775807', 'NaN']) {
    test(`'${text}' is none`, () => assert.throws(() => parseTronJson(text)))
  }
})
