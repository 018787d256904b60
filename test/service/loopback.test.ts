import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback } from '../../src/service/loopback.js'

for (const [host, expected] of [
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['203.0.113.7', false],
  ['127.0.0.1.example.com', false],
  ['localhost.example.com', false],
] as const) {
  test(`${host} ${expected ? 'is' : 'is not'} this machine only`, () => assert.equal(isLoopback(host), expected))
}
