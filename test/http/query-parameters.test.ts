import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownParameter } from '../../src/http/query-parameters.js'

const KNOWN = ['limit', 'cursor']

const rows: readonly (readonly [query: string, unknown: string | undefined])[] = [
  ['', undefined],
  ['&', undefined],
  ['limit=1', undefined],
  ['limit', undefined],
  ['cursor=a&limit=2', undefined],
  ['%6cimit=1', undefined],
  ['limti=1', 'limti'],
  ['Limit=1', 'Limit'],
  ['limit=1&x=2&y=3', 'x'],
  ['limit%20=1', 'limit '],
  ['=1', ''],
  ['__proto__=1', '__proto__'],
]

for (const [query, unknown] of rows) {
  test(`of ${JSON.stringify(query)} the unknown parameter is ${JSON.stringify(unknown)}`, () =>
    assert.equal(unknownParameter(query, KNOWN), unknown))
}
