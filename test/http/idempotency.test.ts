import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseIdempotencyKey } from '../../src/http/idempotency.js'

describe('an Idempotency-Key header', () => {
  for (const [header, key] of [
    ['abc', 'abc'],
    ['"abc"', 'abc'],
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['"with spaces, and commas"', 'with spaces, and commas'],
    ['"a \\"quoted\\" \\\\ part"', 'a "quoted" \\ part'],
    ['a"b', 'a"b'],
    ['k'.repeat(255), 'k'.repeat(255)],
    [`"${'k'.repeat(255)}"`, 'k'.repeat(255)],
    ['', null],
    ['""', null],
    ['"open', null],
    ['"a"b"', null],
    ['"a\\n"', null],
    ['with space', null],
    ['k'.repeat(256), null],
    [`"${'k'.repeat(256)}"`, null],
    ['schlüssel', null],
    ['tab\there', null],
    ['one, one', null],
  ] as const) {
    test(`${JSON.stringify(header).slice(0, 50)} is ${key === null ? 'refused' : JSON.stringify(key).slice(0, 50)}`, () => {
      assert.equal(parseIdempotencyKey(header), key)
    })
  }
})
