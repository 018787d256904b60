import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { isGatewayPush } from '../../src/ledger/gateway-signature.js'

const NOW_MS = 1_700_000_000_000
const WINDOW_MS = 300_000
const secret = 'shared with the gateway'
const body = Buffer.from('{"events":[]}')

/** By another implementation than the one that is tested. */
function sign(timestamp: string, signed: Uint8Array = body, key = secret): string {
  return bytesToHex(hmac(sha256, Buffer.from(key), Buffer.concat([Buffer.from(`${timestamp}\n`), signed])))
}

const now = String(NOW_MS)

describe('a push of the gateway', () => {
  const accepted: readonly [what: string, timestamp: string, body?: Uint8Array][] = [
    ['signed now', now],
    ['five minutes old', String(NOW_MS - WINDOW_MS)],
    ['five minutes ahead', String(NOW_MS + WINDOW_MS)],
    ['of bytes that are not UTF-8', now, Buffer.from([0xff, 0x00, 0xc0])],
    ['without a body', now, Buffer.alloc(0)],
  ]
  for (const [what, timestamp, sent = body] of accepted) {
    test(`${what} is accepted`, () => {
      assert.equal(isGatewayPush({ timestamp, signature: sign(timestamp, sent), body: sent }, [secret], NOW_MS), true)
    })
  }

  test('is accepted with either of two secrets, and with no third', () => {
    const secrets = ['the new secret of both', secret]
    for (const key of secrets) {
      const push = { timestamp: now, signature: sign(now, body, key), body }
      assert.equal(isGatewayPush(push, secrets, NOW_MS), true)
    }
    const strange = { timestamp: now, signature: sign(now, body, secrets.join(',')), body }
    assert.equal(isGatewayPush(strange, secrets, NOW_MS), false)
  })

  const good = sign(now)
  const refused: readonly [what: string, timestamp: string | undefined, signature: string | undefined][] = [
    ['without a timestamp', undefined, good],
    ['without a signature', now, undefined],
    ['with an empty timestamp', '', sign('')],
    ['with an empty signature', now, ''],
    ['a millisecond too old', String(NOW_MS - WINDOW_MS - 1), sign(String(NOW_MS - WINDOW_MS - 1))],
    ['a millisecond too far ahead', String(NOW_MS + WINDOW_MS + 1), sign(String(NOW_MS + WINDOW_MS + 1))],
    ['in seconds', now.slice(0, -3), sign(now.slice(0, -3))],
    ['with a signed timestamp', `+${now}`, sign(`+${now}`)],
    ['with a timestamp in exponent form', '1.7e12', sign('1.7e12')],
    ['with a space in the timestamp', ` ${now}`, sign(` ${now}`)],
    ['with the header twice', `${now}, ${now}`, sign(`${now}, ${now}`)],
    ['signed with another secret', now, sign(now, body, 'another')],
    ['signed for another time', now, sign(String(NOW_MS - 1))],
    ['signed for another body', now, sign(now, Buffer.from('{"events":[ ]}'))],
    ['signed in upper case', now, good.toUpperCase()],
    ['with half a signature', now, good.slice(0, 32)],
    ['with a longer signature', now, `${good}00`],
    ['with a signature in base64', now, Buffer.from(good, 'hex').toString('base64')],
  ]
  for (const [what, timestamp, signature] of refused) {
    test(`${what} is refused`, () => {
      assert.equal(isGatewayPush({ timestamp, signature, body }, [secret], NOW_MS), false)
    })
  }
})
