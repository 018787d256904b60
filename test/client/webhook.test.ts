import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BillhookError, type VerifyOptions, verifyWebhook, type WebhookHeaders } from '@billhook/client'
import { deliveryVerdict } from '../../src/cli/delivery-verdict.js'
import { parseHeaders } from '../../src/cli/headers.js'
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
      assertRejected(
        () => verified(headers, SECRET, { nowMs }),
        /it was sent \d+ s (ago|in the future), and 300 s are tolerated/,
      )
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
    assertRejected(
      () => verified(headersFor(), SECRET, late),
      /it was sent \d+ s (ago|in the future), and 300 s are tolerated/,
    )
  })

  test('tells misuse from a rejection', () => {
    for (const secrets of ['', [], [SECRET, ''], SECRET.toUpperCase(), `whsec_${SECRET}`]) {
      assert.throws(() => verified(headersFor(), secrets), TypeError)
    }
    assert.throws(() => verified(headersFor(), null as unknown as string), TypeError)
    const notFinite = [Number.NaN, Number.POSITIVE_INFINITY, '300', null, new Date(NOW_MS), 300n] as unknown as number[]
    for (const value of notFinite) {
      for (const name of ['toleranceSeconds', 'nowMs']) {
        assert.throws(
          () => verified(headersFor(), SECRET, { [name]: value }),
          new RegExp(`^TypeError: ${name} must be`),
        )
      }
    }
    const parsed = JSON.parse(TEXT)
    assert.throws(() => verifyWebhook(parsed, headersFor(), SECRET), /body that was parsed cannot be verified/)
  })
})

type Header = readonly [name: string, value: string]

/** A delivery, and whether it is to be taken. Headers stand in any case, and more than once. */
interface Case {
  readonly is: boolean
  readonly headers: readonly Header[]
  readonly body?: string | Buffer
  readonly secret?: string
  readonly nowMs?: number
  readonly acceptUntimed?: boolean
}

function signedFor(body: string | Buffer, secrets: readonly [string, string?] = [SECRET]): Record<string, string> {
  const [current, previous = null] = secrets
  return deliveryHeaders({ id: ID, body: Buffer.from(body) }, { current, previous }, NOW_MS)
}

const WHOLE: Record<string, string> = signedFor(BODY)
const PLAIN: Header = ['X-Service-Signature', WHOLE['X-Service-Signature'] ?? '']
const STANDARD = WHOLE['webhook-signature'] ?? ''
const listed = (headers: Record<string, string>): Header[] => Object.entries(headers)
const changed = (name: string, value: string): Header[] => listed({ ...WHOLE, [name]: value })
const without = (...names: readonly string[]): Header[] => listed(WHOLE).filter(([name]) => !names.includes(name))
const bodied = (body: string | Buffer) => ({ headers: listed(signedFor(body)), body })

const CASES: Readonly<Record<string, Case>> = {
  'what the service sent': { is: true, headers: listed(WHOLE) },
  'names in capitals': { is: true, headers: listed(WHOLE).map(([name, value]) => [name.toUpperCase(), value]) },
  'another secret': { is: false, headers: listed(WHOLE), secret: OTHER },
  'the new secret in a rotation': { is: true, headers: listed(signedFor(BODY, [SECRET, OTHER])) },
  'the old secret in a rotation': { is: true, headers: listed(signedFor(BODY, [SECRET, OTHER])), secret: OTHER },
  'a changed body': { is: false, headers: listed(WHOLE), body: `${TEXT} ` },
  'only X-Service-Signature': { is: false, headers: [PLAIN] },
  'only X-Service-Signature, as was asked for': { is: true, headers: [PLAIN], acceptUntimed: true },
  'only X-Service-Signature in capitals': {
    ...{ is: false, headers: [[PLAIN[0], PLAIN[1].toUpperCase()]], acceptUntimed: true },
  },
  'X-Service-Signature twice': { is: false, headers: [PLAIN, PLAIN], acceptUntimed: true },
  'only X-Service-Signature, of another body': { is: false, headers: [PLAIN], acceptUntimed: true, body: '{}' },
  'no signature': { is: false, headers: without('webhook-signature', PLAIN[0]), acceptUntimed: true },
  'no headers': { is: false, headers: [] },
  'no id': { is: false, headers: without('webhook-id') },
  'no time': { is: false, headers: without('webhook-timestamp') },
  'no X-Service-Signature': { is: true, headers: without(PLAIN[0]) },
  'another id': { is: false, headers: changed('webhook-id', 'b') },
  'an id twice': { is: false, headers: [...listed(WHOLE), ['Webhook-Id', ID]] },
  'another time': { is: false, headers: changed('webhook-timestamp', String(NOW_MS / 1000 + 1)) },
  'a time with a sign': { is: false, headers: changed('webhook-timestamp', `+${NOW_MS / 1000}`) },
  'a time twice': { is: false, headers: [...listed(WHOLE), ['webhook-timestamp', String(NOW_MS / 1000)]] },
  'an empty signature': { is: false, headers: changed('webhook-signature', '') },
  'an empty signature that is not asked for': {
    is: false,
    headers: changed('webhook-signature', ''),
    acceptUntimed: true,
  },
  'one of several signatures': { is: true, headers: changed('webhook-signature', `v2,abc v1,AAAA ${STANDARD} v1,B`) },
  'another version': { is: false, headers: changed('webhook-signature', STANDARD.replace('v1', 'v2')) },
  'a signature without its padding': { is: false, headers: changed('webhook-signature', STANDARD.replace(/=+$/, '')) },
  'half a signature': { is: false, headers: changed('webhook-signature', STANDARD.slice(0, 20)) },
  'the signature twice': { is: false, headers: [...listed(WHOLE), ['webhook-signature', STANDARD]] },
  'the signature behind another': {
    is: false,
    headers: [['Webhook-Signature', 'v1,AAAA'], ...listed(WHOLE)],
    acceptUntimed: true,
  },
  '300 s old': { is: true, headers: listed(WHOLE), nowMs: NOW_MS + 300_000 },
  '300.001 s old': { is: false, headers: listed(WHOLE), nowMs: NOW_MS + 300_001 },
  'of 300 s in the future': { is: true, headers: listed(WHOLE), nowMs: NOW_MS - 300_000 },
  'of 300.001 s in the future': { is: false, headers: listed(WHOLE), nowMs: NOW_MS - 300_001 },
  'an old one with both signatures': {
    is: false,
    headers: listed(WHOLE),
    nowMs: NOW_MS + 301_000,
    acceptUntimed: true,
  },
  'a signed text': { is: false, ...bodied('"hi"') },
  'a signed list': { is: false, ...bodied('[{}]') },
  'a signed null': { is: false, ...bodied('null') },
  'a signed nothing': { is: false, ...bodied('') },
  'a signed body that is no JSON': { is: false, ...bodied('{"a":') },
  'a signed body that is no UTF-8': { is: false, ...bodied(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])) },
  'a signed byte order mark': { is: false, ...bodied('\ufeff{}') },
  'a signed object': { is: true, ...bodied('{}') },
}

/** Headers as Node has them in an object, a list for one that came more than once. */
function asObject(headers: readonly Header[]): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {}
  for (const [name, value] of headers) {
    const known = object[name.toLowerCase()]
    object[name.toLowerCase()] = known === undefined ? value : [known, value].flat()
  }
  return object
}

describe('the library and billhook webhook verify judge alike', () => {
  for (const [
    what,
    { is, headers, body = BODY, secret = SECRET, nowMs = NOW_MS, acceptUntimed = false },
  ] of Object.entries(CASES)) {
    test(`${is ? 'accept' : 'reject'} ${what}`, () => {
      const terms = { nowMs, toleranceSeconds: 300, acceptUntimed }
      const fetched = new Headers(headers.map(([name, value]) => [name, value]))
      const judged = [asObject(headers), fetched].map((given) => () => verifyWebhook(body, given, secret, terms))
      for (const judge of judged) {
        if (is) judge()
        else assertRejected(judge, /./)
      }
      const written = parseHeaders(headers.map(([name, value]) => `${name}: ${value}`).join('\r\n'))
      const verdict = deliveryVerdict({ headers: written, body: Buffer.from(body) }, secret, terms)
      assert.deepEqual([verdict.isVerified, verdict.flaw === null], [is, is], String(verdict.flaw))
    })
  }
})
