import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BillhookError, type VerifyOptions, verifyWebhook, type WebhookHeaders } from 'billhook/client'
import { checkDelivery } from '../../src/merchant/delivery-check.js'
import { deliveryHeaders } from '../../src/webhooks/signature.js'

const SECRET = '0123456789abcdef'.repeat(4)
const OTHER = 'fedcba9876543210'.repeat(4)
const NOW_MS = 1_795_171_627_000
const PAYLOAD = { reference: 'order-ü', status: 'confirmed', amount: '25000000', receivedAt: 1_795_171_626_000 }
const TEXT = JSON.stringify(PAYLOAD)
const BODY = Buffer.from(TEXT)
const ID = 'a'.repeat(32)

/** The headers of a delivery, with their names in lower case, as Node has them. */
function headersFor(secrets: readonly string[] = [SECRET]): Record<string, string> {
  const [current = '', previous = null] = secrets
  const headers = deliveryHeaders({ id: ID, body: BODY }, { current, previous }, NOW_MS)
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function verified(headers: WebhookHeaders, secrets: string | readonly string[] = SECRET, options: VerifyOptions = {}) {
  return verifyWebhook(BODY, headers, secrets, { nowMs: NOW_MS, ...options })
}

function assertRejected(work: () => unknown, reason: RegExp): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof BillhookError, String(error))
    assert.equal(error.code, 'webhook_rejected')
    assert.match(error.message, reason)
    return true
  })
}

describe('verifyWebhook', () => {
  test('answers the id and the payload of what the service signed', () => {
    assert.deepEqual(verified(headersFor()), { id: ID, payload: PAYLOAD })
  })

  test('takes bodies as bytes and as text, and headers as every server has them', () => {
    const headers = headersFor()
    const titled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    for (const form of [headers, titled, new Headers(headers)]) {
      for (const body of [TEXT, BODY, new Uint8Array(BODY)]) {
        assert.equal(verifyWebhook(body, form, SECRET, { nowMs: NOW_MS }).id, ID)
      }
    }
  })

  test('goes on while a secret is rotated, with the old one, the new one and both', () => {
    const headers = headersFor([SECRET, OTHER])
    for (const secrets of [SECRET, OTHER, [OTHER, SECRET]]) assert.equal(verified(headers, secrets).id, ID)
    assert.equal(verified(headersFor([OTHER]), [SECRET, OTHER]).id, ID)
    assertRejected(() => verified(headersFor([OTHER])), /does not fit/)
  })

  test('rejects a changed body, id, time and signature', () => {
    const headers = headersFor()
    assertRejected(() => verifyWebhook(`${TEXT} `, headers, SECRET, { nowMs: NOW_MS }), /does not fit/)
    const changes: readonly [name: string, value: string][] = [
      ['webhook-id', 'b'.repeat(32)],
      ['webhook-timestamp', String(NOW_MS / 1000 + 1)],
      ['webhook-signature', ''],
      ['webhook-signature', 'v1,'],
      ['webhook-signature', 'v1,*'],
      ['webhook-signature', `v1a,${headers['webhook-signature']?.slice(3)}`],
      ['webhook-signature', headers['x-service-signature'] ?? ''],
      ['webhook-signature', `v1,${Buffer.from(headers['x-service-signature'] ?? '', 'hex').toString('base64')}`],
    ]
    for (const [name, value] of changes) assertRejected(() => verified({ ...headers, [name]: value }), /./)
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const { [name]: _, ...rest } = headers
      assertRejected(() => verified(rest), /webhook-signature/)
      assertRejected(() => verified({ ...headers, [name]: [headers[name] ?? '', headers[name] ?? ''] }), /./)
    }
  })

  test('compares every byte of a signature', () => {
    const headers = headersFor()
    for (const [name, encoding, prefix] of [
      ['webhook-signature', 'base64', 'v1,'],
      ['x-service-signature', 'hex', ''],
    ] as const) {
      const signature = Buffer.from(headers[name]?.slice(prefix.length) ?? '', encoding)
      for (const at of signature.keys()) {
        const changed = Buffer.from(signature)
        changed[at] = (changed[at] ?? 0) ^ 1
        const forged = { ...headers, [name]: prefix + changed.toString(encoding) }
        const { 'webhook-signature': standard, ...untimed } = forged
        const given = name === 'webhook-signature' ? forged : untimed
        assertRejected(() => verified(given, SECRET, { acceptUntimed: true }), /does not fit/)
      }
    }
  })

  test('takes one of several signatures', () => {
    const headers = headersFor()
    const many = `v2,abc v1,AAAA ${headers['webhook-signature']} v1,BBBB`
    assert.equal(verified({ ...headers, 'webhook-signature': many }).id, ID)
  })

  test('rejects what is older or newer than the tolerance', () => {
    const headers = headersFor()
    for (const nowMs of [NOW_MS - 300_000, NOW_MS + 300_000]) assert.equal(verified(headers, SECRET, { nowMs }).id, ID)
    for (const nowMs of [NOW_MS - 301_000, NOW_MS + 301_000]) {
      assertRejected(() => verified(headers, SECRET, { nowMs }), /another time/)
      assert.equal(verified(headers, SECRET, { nowMs, toleranceSeconds: 301 }).id, ID)
    }
  })

  test('takes X-Service-Signature alone only where it is told to', () => {
    const signature = { 'x-service-signature': headersFor()['x-service-signature'] }
    assertRejected(() => verified(signature), /no webhook-signature/)
    const options = { acceptUntimed: true }
    assert.deepEqual(verified(signature, [OTHER, SECRET], options), { id: null, payload: PAYLOAD })
    for (const value of [undefined, '', 'zz', '00'.repeat(32)]) {
      assertRejected(() => verified({ 'x-service-signature': value }, SECRET, options), /does not fit/)
    }
    // What has both is judged by the one that covers the time.
    const late = { ...options, nowMs: NOW_MS + 301_000 }
    assertRejected(() => verified(headersFor(), SECRET, late), /another time/)
  })

  test('judges like billhook webhook verify', () => {
    const headers = headersFor([SECRET, OTHER])
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-service-signature']
    for (let absent = 0; absent < 2 ** names.length; absent++) {
      const kept = Object.entries(headers).filter(
        ([name]) => !(names.includes(name) && absent & (1 << names.indexOf(name))),
      )
      for (const [secret, nowMs] of [
        [SECRET, NOW_MS],
        [OTHER, NOW_MS],
        [SECRET, NOW_MS + 301_000],
        ['0'.repeat(64), NOW_MS],
      ] as const) {
        const given = Object.fromEntries(kept)
        const options = { nowMs, toleranceSeconds: 300 }
        const { isVerified } = checkDelivery({ headers: given, body: BODY }, secret, options)
        const verify = () => verifyWebhook(BODY, given, secret, { ...options, acceptUntimed: true })
        if (isVerified) verify()
        else assertRejected(verify, /./)
      }
    }
  })

  test('tells misuse from a rejection', () => {
    for (const secrets of ['', [], [SECRET, ''], SECRET.toUpperCase(), `whsec_${SECRET}`]) {
      assert.throws(() => verified(headersFor(), secrets), TypeError)
    }
    const parsed = JSON.parse(TEXT)
    assert.throws(() => verifyWebhook(parsed, headersFor(), SECRET), /body that was parsed cannot be verified/)
  })
})
