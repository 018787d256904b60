import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertRefused, ServiceFixture } from '../../support/service-fixture.js'
import { signRequest, type TestKey, testKey } from '../../support/signing.js'
import { validAddress } from '../../support/valid-address.js'

const OWNER = 'merchant'
const KEY = testKey('order merchant')
const STRANGER = testKey('order stranger')
const CREATE = 'POST /api/orders'
const wallet = (id: string) => ({ id, address: validAddress('SEP', id), network: 'SEP' })

function signedHeaders(key: TestKey, tag: string, body: string): Record<string, string> {
  const timestamp = String(Date.now())
  return {
    'X-Service-Api-Key': key.publicKeyHex,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signRequest(key, tag, timestamp, body),
  }
}

let fixture: ServiceFixture
before(async () => {
  fixture = await ServiceFixture.start()
  await fixture.assign(OWNER, wallet('w-1'), wallet('w-2'))
  assert.equal((await fixture.register(OWNER, KEY)).status, 201)
})
after(() => fixture.stop())

let amounts = 0
/** A body that is right, with amounts that no other order of this file asks. */
function rightBody(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  amounts += 1
  const options = [
    { walletIds: ['w-1'], currency: 'USDT' },
    { walletIds: ['w-2'], currency: 'native', amount: `0.${amounts + 100}` },
  ]
  return { owner: OWNER, price: { amount: `${amounts}00.00`, currency: 'USDT' }, options, name: 'Order', ...more }
}

describe('POST /api/orders', () => {
  test('creates an invoice of each option, and says where the order is', async () => {
    const reply = await fixture.post('/api/orders', rightBody({ reference: 'http-1' }))
    assert.equal(reply.status, 201)
    const { id, url, expires_at, invoices } = reply.json
    assert.deepEqual([url, reply.headers.get('location')], [`/order/${id}`, `/api/orders/${id}`])
    const shown = (await fixture.get(`/api/orders/${id}`)).json
    assert.deepEqual([shown.expires_at, shown.expires_at - shown.created_at], [expires_at, 900_000])
    assert.deepEqual(
      invoices.map(({ rate }: { rate: unknown }) => rate),
      ['1', null],
    )
    for (const [i, { id: invoiceId, url: page, amount }] of invoices.entries()) {
      const { invoice, payment, remaining } = shown.options[i]
      assert.deepEqual([invoice.id, invoice.amount, page], [invoiceId, amount, `/pay/${invoiceId}`])
      assert.equal(invoice.reference, `http-1/${i + 1}`)
      assert.equal(payment.remaining, remaining)
      const { payment: _, ...record } = (await fixture.get(`/api/invoices/${invoiceId}`)).json
      assert.deepEqual({ ...record, ...invoice }, record)
    }
  })

  test('takes the owner of a signed request from its key', async () => {
    const body = JSON.stringify(rightBody({ owner: 'somebody else' }))
    const reply = await fixture.post('/api/orders', body, signedHeaders(KEY, CREATE, body))
    assert.equal(reply.status, 201)
    assert.equal((await fixture.get(`/api/orders/${reply.json.id}`)).json.owner, OWNER)
  })

  test('keeps an idempotency key apart from that of an invoice', async () => {
    const headers = { 'Idempotency-Key': 'shared' }
    const invoice = { owner: OWNER, walletIds: ['w-1'], name: 'Order', amount: '7777' }
    assert.equal((await fixture.post('/api/invoices', invoice, headers)).status, 201)
    const body = rightBody()
    const first = await fixture.post('/api/orders', body, headers)
    const again = await fixture.post('/api/orders', body, headers)
    assert.deepEqual([first.status, again.status, again.json], [201, 201, first.json])
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
  })

  test('names the coin that has no rate', async () => {
    const reply = await fixture.post('/api/orders', rightBody({ price: { amount: '25.00', currency: 'EUR' } }))
    assertRefused(reply, 503, 'There is no current rate for this currency.', 'rate_unavailable')
    assert.equal(reply.json.coin, 'USDT')
    assert.ok(Number(reply.headers.get('retry-after')) > 0)
  })

  test('names the first wrong field', async () => {
    const reply = await fixture.post('/api/orders', rightBody({ name: 5 }))
    assert.deepEqual([reply.status, reply.json.code, reply.json.field], [400, 'invalid_order', 'name'])
  })
})

describe('GET /api/users/:id/orders', () => {
  test('lists by status, number and reference', async () => {
    const made = (await fixture.post('/api/orders', rightBody({ orderNumber: 'L-1', reference: 'list-1' }))).json
    const other = (await fixture.post('/api/orders', rightBody({ orderNumber: 'L-1' }))).json
    await fixture.post(`/api/orders/${other.id}/void`, { owner: OWNER })
    const idsOf = async (query: string, owner = OWNER) => {
      const { json } = await fixture.get(`/api/users/${owner}/orders?${query}`)
      return json.map(({ id }: { id: string }) => id)
    }
    assert.deepEqual(await idsOf('orderNumber=L-1'), [other.id, made.id])
    assert.deepEqual(await idsOf('orderNumber=L-1&status=void'), [other.id])
    assert.deepEqual(await idsOf('orderNumber=L-1&status=unpaid'), [made.id])
    assert.deepEqual(await idsOf('reference=list-1'), [made.id])
    assert.deepEqual(await idsOf('reference=list-1&status=paid'), [])
    assert.deepEqual(await idsOf('reference=list-1', 'somebody'), [])
  })

  test('leads through the list by its links', async () => {
    const all = (await fixture.get(`/api/users/${OWNER}/orders`)).json.map(({ id }: { id: string }) => id)
    const found: string[] = []
    let path: string | null = `/api/users/${OWNER}/orders?limit=2&status=unpaid`
    while (path !== null) {
      const reply = await fixture.get(path)
      found.push(...reply.json.map(({ id }: { id: string }) => id))
      path = /<([^>]+)>/.exec(reply.headers.get('link') ?? '')?.[1] ?? null
    }
    assert.deepEqual(
      found,
      all.filter((id: string) => found.includes(id)),
    )
    assert.equal(new Set(found).size, found.length)
  })
})

describe('an order in strict mode', () => {
  test('is shown to its owner alone', async () => {
    const strict = await ServiceFixture.start({ BILLHOOK_STRICT: 'on', BILLHOOK_SANDBOX: 'on' })
    try {
      const HEX32 = '0'.repeat(32)
      assert.equal((await strict.get(`/api/orders/${HEX32}`)).json.code, 'missing_auth_headers')
      const signed = signedHeaders(STRANGER, 'GET /api/orders/:id', '')
      assert.equal((await strict.get(`/api/orders/${HEX32}`, signed)).json.code, 'unknown_api_key')
      assert.equal((await strict.post('/api/orders', rightBody())).json.code, 'missing_auth_headers')
      assert.equal((await strict.get(`/api/users/${OWNER}/orders`)).json.code, 'missing_auth_headers')
    } finally {
      await strict.stop()
    }
  })
})
