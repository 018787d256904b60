import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  Billhook,
  BillhookError,
  judgeWebhook,
  keySigner,
  refusalOf,
  signedHeaders,
  verifyWebhook,
} from '@billhook/client'
import { noble } from '../../src/crypto/noble.js'
import { deliveryHeaders } from '../../src/webhooks/signature.js'
import { testKey } from '../support/signing.js'
import { FakeService, refusal, type Scripted } from './fake-service.js'

const key = testKey('client')
const URL = 'https://pay.example'
const LOST = new TypeError('fetch failed')

function client(script: readonly Scripted[], attempts?: number) {
  const service = new FakeService(script)
  return { service, billhook: new Billhook({ url: URL, fetch: service.fetch, retryDelayMs: 1, attempts }) }
}

describe('request', () => {
  test('sends any request of the reference, and answers where the next page starts', async () => {
    const next = { Link: '</api/users/o/events?after=e7>; rel="next"' }
    const { service, billhook } = client([{ status: 200, body: [{ id: 'e7' }], headers: next }])
    const params = { id: 'o/ü' }
    const {
      body,
      next: cursor,
      headers,
    } = await billhook.request({
      tag: 'GET /api/users/:id/events',
      params,
      query: { after: 'e6' },
    })
    assert.deepEqual([body, cursor, headers.get('link')], [[{ id: 'e7' }], 'e7', next.Link])
    assert.equal(service.asked[0]?.url, `${URL}/api/users/o%2F%C3%BC/events?after=e6`)
  })

  test('is signed by the key of the client, by another one, or not at all', async () => {
    const service = new FakeService(Array(3).fill({ status: 200, body: {} }))
    const other = keySigner('1'.repeat(64))
    const billhook = new Billhook({ url: URL, privateKey: key.secretKey, fetch: service.fetch })
    const tag = 'GET /api/info'
    for (const call of [{ tag }, { tag, signer: other }, { tag, signer: undefined }] as const)
      await billhook.request(call)
    const keys = service.asked.map(({ headers }) => headers['X-Service-Api-Key'])
    assert.deepEqual(keys, [key.publicKeyHex, other.publicKey, undefined])
  })
})

describe('attempts', () => {
  test('are four unless the client is told another number', async () => {
    for (const [attempts, sent] of [
      [undefined, 4],
      [2, 2],
      [1, 1],
    ] as const) {
      const { service, billhook } = client(Array(9).fill(LOST), attempts)
      await assert.rejects(billhook.getInfo(), { code: 'unreachable' })
      assert.equal(service.asked.length, sent)
    }
  })

  test('that are one leave a wrong clock as it is', async () => {
    const late = refusal(401, 'invalid_timestamp', { Date: 'Sun, 22 Nov 2020 00:00:00 GMT' })
    const { service, billhook } = client([late, late], 1)
    await assert.rejects(billhook.getInfo(), { code: 'invalid_timestamp' })
    assert.equal(service.asked.length, 1)
  })

  test('are at least one', () => {
    for (const attempts of [0, -1, Number.NaN]) assert.throws(() => client([], attempts), TypeError)
  })
})

describe('signedHeaders', () => {
  test('sign the bytes of a body, also those that are no text', async () => {
    const signer = keySigner(key.secretKey)
    const body = Buffer.from([0xff, 0x00, 0x80])
    for (const [given, bytes] of [
      [body, body],
      ['ü', Buffer.from('ü')],
      [undefined, Buffer.alloc(0)],
    ] as const) {
      const headers = await signedHeaders(signer, 'POST /api/invoices', given, 1_795_171_627_000)
      assert.deepEqual(
        [headers['X-Service-Api-Key'], headers['X-Service-Timestamp']],
        [key.publicKeyHex, '1795171627000'],
      )
      const text = Buffer.concat([Buffer.from('POST /api/invoices\n1795171627000\n'), bytes])
      const der = Buffer.from(headers['X-Service-Signature'] ?? '', 'base64')
      assert.ok(noble.verify(der, createHash('sha256').update(text).digest(), key.publicKey))
    }
  })
})

describe('refusalOf', () => {
  test('is the error that the methods throw', async () => {
    const headers = { 'Retry-After': '7', 'X-Request-Id': 'r' }
    const answer = new Response('{"error":"Not now.","code":"rate_limited"}', { status: 429, headers })
    const { message, status, code, retryAfterMs, requestId } = (await refusalOf(answer, URL)) ?? assert.fail()
    assert.deepEqual([message, status, code, retryAfterMs, requestId], ['Not now.', 429, 'rate_limited', 7000, 'r'])
    assert.equal((await refusalOf(new Response('<html>', { status: 502 }), URL))?.code, 'unexpected_answer')
  })

  test('is null for a success, and leaves its body', async () => {
    const answer = new Response('{}')
    assert.equal(await refusalOf(answer, URL), null)
    assert.deepEqual(await answer.json(), {})
  })
})

describe('judgeWebhook', () => {
  const secret = '0123456789abcdef'.repeat(4)
  const nowMs = 1_795_171_627_000
  const body = Buffer.from('{"reference":"r"}')
  const headers = deliveryHeaders({ id: 'i', body }, { current: secret, previous: null }, nowMs)

  test('answers what verifyWebhook answers or throws, and when the webhook was sent', () => {
    const webhook = verifyWebhook(body, headers, secret, { nowMs })
    assert.deepEqual(judgeWebhook(body, headers, secret, { nowMs }), { flaw: null, webhook, sentAtMs: nowMs })
    const old = judgeWebhook(body, headers, secret, { nowMs: nowMs + 301_000 })
    assert.deepEqual(old, {
      flaw: 'it was sent 301 s ago, and 300 s are tolerated',
      webhook: null,
      sentAtMs: nowMs,
    })
    assert.throws(
      () => verifyWebhook(body, headers, secret, { nowMs: nowMs + 301_000 }),
      new BillhookError(`The webhook was rejected: ${old.flaw}.`, 'webhook_rejected'),
    )
  })

  test('believes no time that is not signed', () => {
    assert.equal(judgeWebhook('{}', headers, secret, { nowMs }).sentAtMs, null)
    const plain = { 'X-Service-Signature': headers['X-Service-Signature'], 'webhook-timestamp': '1' }
    const { flaw, sentAtMs } = judgeWebhook(body, plain, secret, { nowMs, acceptUntimed: true })
    assert.deepEqual([flaw, sentAtMs], [null, null])
  })
})
