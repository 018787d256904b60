import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { VERSION } from '../../src/version.js'
import { deliveryHeaders } from '../../src/webhooks/signature.js'

const id = '018bcfe5687b7fff8000000000000001'
const body = Buffer.from('{"reference":"Bestellung ü","status":"pending"}')

describe('the headers of a delivery', () => {
  test('are exactly these, both signatures over the exact bytes', () => {
    const secret = 'a1'.repeat(32)
    const expected = createHmac('sha256', Buffer.from(secret, 'hex'))
      .update(Buffer.concat([Buffer.from(`${id}.1700000000.`), body]))
      .digest('base64')
    assert.deepEqual(deliveryHeaders({ id, body }, { current: secret, previous: null }, 1_700_000_000_999), {
      'Content-Type': 'application/json',
      'User-Agent': `Billhook/${VERSION}`,
      'X-Service-Signature': createHmac('sha256', secret).update(body).digest('hex'),
      'webhook-id': id,
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${expected}`,
    })
  })

  test('agree with signatures computed by openssl', () => {
    // printf '{"a":1}' | openssl dgst -sha256 -hmac 000102…1f (the text), and
    // printf 'msg.1700000000.{"a":1}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1f -binary | base64
    const secret = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'
    const headers = deliveryHeaders(
      { id: 'msg', body: Buffer.from('{"a":1}') },
      { current: secret, previous: null },
      1_700_000_000_000,
    )
    assert.equal(headers['X-Service-Signature'], 'e46bd2e48d9290d7edaf05dc17e9f20466f1a09dc45963140f8108d32d79a32e')
    assert.equal(headers['webhook-signature'], 'v1,fkNjWRBmKbgBTTZGy8gjuHGwrTM/NnDwM3Jm5OjtPJY=')
  })

  test('have a signature of each secret during a rotation, and one of the previous secret alone', () => {
    const [current, previous] = ['b2'.repeat(32), 'a1'.repeat(32)]
    const of = (secret: string) => deliveryHeaders({ id, body }, { current: secret, previous: null }, 1_700_000_000_999)
    const headers = deliveryHeaders({ id, body }, { current, previous }, 1_700_000_000_999)
    const both = `${of(current)['webhook-signature']} ${of(previous)['webhook-signature']}`
    assert.deepEqual(headers, { ...of(previous), 'webhook-signature': both })
  })

  test('are never made with something that is no secret', () => {
    for (const secret of ['', 'a'.repeat(63), 'A'.repeat(64), 'g'.repeat(64), `${'a'.repeat(64)}\n`]) {
      const valid = 'a'.repeat(64)
      for (const secrets of [
        { current: secret, previous: null },
        { current: valid, previous: secret },
      ]) {
        assert.throws(() => deliveryHeaders({ id, body }, secrets, 0), TypeError)
      }
    }
  })
})
