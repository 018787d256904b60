import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterOf } from '../../src/webhooks/sender.js'

/** 14 November 2023, 22:13:20 UTC. */
const NOW = 1_700_000_000_000

test('Retry-After is seconds or an HTTP date', () => {
  assert.equal(retryAfterOf(503, '0', NOW), 0)
  assert.equal(retryAfterOf(429, '120', NOW), 120_000)
  assert.equal(retryAfterOf(503, '999999999', NOW), 999_999_999_000)
  assert.equal(retryAfterOf(503, 'Tue, 14 Nov 2023 22:15:00 GMT', NOW), 100_000)
  assert.equal(retryAfterOf(503, 'Tue, 14 Nov 2023 22:13:00 GMT', NOW), 0)
})

test('Retry-After counts with 429 and 503 only', () => {
  for (const status of [200, 301, 400, 404, 410, 500, 502, 504]) assert.equal(retryAfterOf(status, '5', NOW), null)
})

test('a Retry-After that is malformed, missing or repeated is none', () => {
  for (const header of [
    undefined,
    '',
    ' ',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    '9999999999',
    '5 seconds',
    'soon',
    '2023-11-14T22:15:00Z',
    'Tue, 99 Nov 2023 22:15:00 GMT',
    'Tuesday, 14-Nov-23 22:15:00 GMT',
    'Tue Nov 14 22:15:00 2023',
    ['5', '5'],
  ]) {
    assert.equal(retryAfterOf(503, header, NOW), null, JSON.stringify(header))
  }
})
