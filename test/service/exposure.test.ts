import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback, isPrivateToMachine } from '../../src/service/exposure.js'

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

const ALONE = { host: '127.0.0.1', trustedProxies: [], strict: false }

for (const [what, settings, expected] of [
  ['listens on loopback alone', ALONE, true],
  ['listens on loopback of IPv6', { ...ALONE, host: '::1' }, true],
  ['listens on localhost', { ...ALONE, host: 'localhost' }, true],
  ['has a public URL on loopback', { ...ALONE, publicUrl: 'http://localhost:8080' }, true],
  ['has a public URL on loopback of IPv6', { ...ALONE, publicUrl: 'http://[::1]:8080/pay' }, true],
  ['has a public URL', { ...ALONE, publicUrl: 'https://pay.example' }, false],
  ['has a public URL on the local network', { ...ALONE, publicUrl: 'http://10.0.0.1' }, false],
  ['has a proxy before it', { ...ALONE, trustedProxies: ['127.0.0.1/32'] }, false],
  ['is strict', { ...ALONE, strict: true }, false],
  ['listens on every address', { ...ALONE, host: '0.0.0.0' }, false],
  ['listens on a private address', { ...ALONE, host: '192.168.1.5' }, false],
] as const) {
  test(`a service that ${what} ${expected ? 'is' : 'is not'} private to its machine`, () => {
    assert.equal(isPrivateToMachine(settings), expected)
  })
}
