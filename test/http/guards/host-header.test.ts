import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loopbackHosts } from '../../../src/http/guards/browsers.js'
import { headFrom } from '../head-from.js'

const LOOPBACK = [
  'localhost',
  'LOCALHOST:1',
  'localhost:8080',
  '127.0.0.1',
  '127.0.0.1:65535',
  '127.255.0.3:80',
  '[::1]',
  '[::1]:8080',
]
const FOREIGN = [
  '',
  'evil.example',
  'evil.example:8080',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '127.0.0.1@evil.example',
  '127.0.0.1, evil.example',
  '127.0.0.1:8080:80',
  '127.0.0.1:x',
  '128.0.0.1',
  '10.0.0.1',
  '0.0.0.0',
  '0x7f.0.0.1',
  '127.1',
  '2130706433',
  '[::2]',
  '::1',
  '[::1',
]

function accepts(host: string | undefined, publicUrl?: string, isProxied = false): boolean {
  const rule = loopbackHosts(publicUrl, () => isProxied)
  const head = headFrom('127.0.0.1', host === undefined ? {} : { host })
  // Asked again it is remembered.
  assert.equal(rule(head), rule(head))
  return rule(head)
}

describe('a listener on loopback without a public URL', () => {
  for (const host of LOOPBACK) test(`is known as ${host}`, () => assert.ok(accepts(host)))
  for (const host of FOREIGN) {
    test(`is not known as ${JSON.stringify(host)}, whoever passes it on`, () => {
      assert.ok(!accepts(host))
      assert.ok(!accepts(host, undefined, true))
    })
  }
  test('serves programs that send no Host', () => assert.ok(accepts(undefined)))
})

describe('a listener on loopback with a public URL', () => {
  const URL = 'https://Pay.example:8443/billhook'
  for (const host of [...LOOPBACK, 'pay.example', 'PAY.example:8443', 'pay.example:80']) {
    test(`is known as ${host}`, () => assert.ok(accepts(host, URL)))
  }
  for (const host of FOREIGN) {
    test(`is not known as ${JSON.stringify(host)}, unless a trusted proxy passes it on`, () => {
      assert.ok(!accepts(host, URL))
      assert.ok(accepts(host, URL, true))
    })
  }
})

test('names beyond what is remembered are judged alike', () => {
  const rule = loopbackHosts(undefined, () => false)
  for (let i = 0; i < 1000; i += 1) {
    assert.ok(!rule(headFrom('127.0.0.1', { host: `a${i}.example` })))
    assert.ok(rule(headFrom('127.0.0.1', { host: `127.0.0.1:${i}` })))
  }
})
