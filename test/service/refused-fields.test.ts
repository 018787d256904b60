import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { apiFailures, type FailureCode } from '../../src/domain/failure.js'
import { failureStatus } from '../../src/http/failure-status.js'
import { gatewayHeaders, ServiceFixture } from '../support/service-fixture.js'
import { testKey } from '../support/signing.js'

const KEY = testKey('refused fields')
const WALLET = { id: 'w-fields', address: '0xabcd000000000000000000000000000000000031', network: 'SEP' }
const KEY_FIELDS = { owner: 'shop', label: 'x', publicKey: KEY.publicKeyHex, permissions: ['invoices:create'] }
const OTHER = { id: 'w-tron', address: 'TYDQ9WYznpT8iBUoDpZTNW16FTj786RqHP', network: 'TRX-NILE' }
const ORDER = {
  owner: 'shop',
  name: 'Order',
  price: { amount: '25', currency: 'EUR' },
  options: [{ walletIds: [WALLET.id], currency: 'USDT' }],
}
const INVOICE = { owner: 'shop', walletIds: [WALLET.id], name: 'Order', amount: '1' }

/** Refusals of 400 that are about a request as a whole. */
const WITHOUT_FIELD: readonly FailureCode[] = ['invalid_json', 'malformed_request', 'no_callback_url']

type Row = readonly [
  code: FailureCode,
  field: string,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
]

const rows: readonly Row[] = [
  ['invalid_api_key_registration', 'owner', 'POST', '/api/api-keys', {}],
  ['invalid_api_key_registration', 'owner', 'POST', '/api/api-keys', { ...KEY_FIELDS, owner: 'x'.repeat(129) }],
  ['invalid_api_key_registration', 'label', 'POST', '/api/api-keys', { owner: 'shop' }],
  ['invalid_api_key_registration', 'label', 'POST', '/api/api-keys', { ...KEY_FIELDS, label: ' ' }],
  [
    'invalid_api_key_registration',
    'publicKey',
    'POST',
    '/api/api-keys',
    { ...KEY_FIELDS, publicKey: 7, permissions: 7 },
  ],
  [
    'invalid_api_key_registration',
    'publicKey',
    'POST',
    '/api/api-keys',
    { ...KEY_FIELDS, publicKey: `02${'f'.repeat(64)}` },
  ],
  ['invalid_api_key_registration', 'permissions', 'POST', '/api/api-keys', { ...KEY_FIELDS, permissions: ['x'] }],
  ['invalid_api_key_registration', 'ttlDays', 'POST', '/api/api-keys', { ...KEY_FIELDS, ttlDays: '1' }],
  ['invalid_api_key_registration', 'ttlDays', 'POST', '/api/api-keys', { ...KEY_FIELDS, ttlDays: 0 }],
  ['owner_required', 'owner', 'POST', '/api/api-keys/0123456789abcdef/revoke', {}],
  ['invalid_invoice', 'owner', 'POST', '/api/invoices', {}],
  ['invalid_invoice', 'walletIds', 'POST', '/api/invoices', { owner: 'shop', amount: 1 }],
  ['invalid_invoice', 'name', 'POST', '/api/invoices', { ...INVOICE, name: '', amount: 1 }],
  ['invalid_invoice', 'amount', 'POST', '/api/invoices', { ...INVOICE, amount: 1 }],
  ['invalid_invoice', 'amount', 'POST', '/api/invoices', { ...INVOICE, amount: '0' }],
  ['invalid_invoice', 'description', 'POST', '/api/invoices', { ...INVOICE, description: 7 }],
  ['invalid_invoice', 'reference', 'POST', '/api/invoices', { ...INVOICE, reference: 7 }],
  ['invalid_expiry', 'expiresInSeconds', 'POST', '/api/invoices', { ...INVOICE, expiresInSeconds: 59 }],
  ['invalid_return_url', 'returnUrl', 'POST', '/api/invoices', { ...INVOICE, returnUrl: 'ftp://x' }],
  ['invalid_order_number', 'orderNumber', 'POST', '/api/invoices', { ...INVOICE, orderNumber: 7 }],
  ['invalid_metadata', 'metadata', 'POST', '/api/invoices', { ...INVOICE, metadata: ['x'] }],
  ['unsupported_currency', 'currency', 'POST', '/api/invoices', { ...INVOICE, currency: 'EUR' }],
  ['wallet_not_owned', 'walletIds', 'POST', '/api/invoices', { ...INVOICE, walletIds: ['another'] }],
  ['mixed_native_coins', 'walletIds', 'POST', '/api/invoices', { ...INVOICE, walletIds: [WALLET.id, OTHER.id] }],
  ['invalid_callback_url', 'callbackUrl', 'POST', '/api/invoices', { ...INVOICE, callbackUrl: 'ftp://x' }],
  ['invalid_idempotency_key', 'Idempotency-Key', 'POST', '/api/invoices', INVOICE, { 'Idempotency-Key': 'a b' }],
  ['invalid_order', 'owner', 'POST', '/api/orders', {}],
  ['invalid_order', 'name', 'POST', '/api/orders', { ...ORDER, name: ' ' }],
  ['invalid_order', 'description', 'POST', '/api/orders', { ...ORDER, description: 7 }],
  ['invalid_order', 'reference', 'POST', '/api/orders', { ...ORDER, reference: 7 }],
  ['invalid_price', 'price', 'POST', '/api/orders', { ...ORDER, price: { amount: '0', currency: 'EUR' } }],
  ['invalid_options', 'options', 'POST', '/api/orders', { ...ORDER, options: [] }],
  ['invalid_rates', 'rates', 'POST', '/sandbox/rates', { rates: { EUR: { USDT: 0.92 } } }],
  ['invalid_callback_url', 'callbackUrl', 'PUT', '/api/users/shop/webhook', {}],
  [
    'invalid_payload',
    'payload',
    'PUT',
    '/api/users/shop/webhook',
    { callbackUrl: 'https://shop.example/', payload: 'all' },
  ],
  [
    'invalid_types',
    'types',
    'PUT',
    '/api/users/shop/webhook',
    { callbackUrl: 'https://shop.example/', types: ['all'] },
  ],
  ['invalid_overlap', 'overlapSeconds', 'POST', '/api/users/shop/webhook/rotate', { overlapSeconds: -1 }],
  ['invalid_identity', 'id', 'PUT', `/api/users/${'x'.repeat(129)}/webhook`, {}],
  ['invalid_query', 'limit', 'GET', '/api/users/shop/invoices?limit=0'],
  ['invalid_query', 'cursor', 'GET', '/api/users/shop/invoices?limit=1&cursor=x'],
  ['invalid_query', 'include', 'GET', '/api/users/shop/invoices?include=all'],
  ['invalid_query', 'state', 'GET', '/api/users/shop/invoices?state=paid&limit=0'],
  ['invalid_query', 'referense', 'GET', '/api/users/shop/invoices?referense=x'],
  ['invalid_query', 'limit', 'GET', '/api/users/shop/webhook/deliveries?limit=1001'],
  ['invalid_query', 'include', 'GET', '/api/users/shop/webhook/deliveries?include=payment'],
  ['invalid_sandbox_deposit', 'address', 'POST', '/sandbox/deposits', {}],
  ['invalid_sandbox_deposit', 'amount', 'POST', '/sandbox/deposits', { address: WALLET.address, amount: 1 }],
]

describe('a 400 about one field names it', () => {
  let fixture: ServiceFixture
  before(async () => {
    fixture = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_MIXED_NATIVE: 'off' })
    for (const wallet of [WALLET, OTHER]) await fixture.assign('shop', wallet)
  })
  after(() => fixture.stop())

  for (const [code, field, method, path, body, headers = {}] of rows) {
    test(`${code}: ${field} (${method} ${path.slice(0, 60)})`, async () => {
      const reply = await fixture.call(method, path, { headers, ...(body === undefined ? {} : { body }) })
      assert.deepEqual(
        { status: reply.status, code: reply.json.code, field: reply.json.field },
        { status: 400, code, field },
      )
    })
  }

  test('also a push that is no list of events', async () => {
    const timestamp = String(Date.now())
    const reply = await fixture.post('/internal/events', '{}', gatewayHeaders(timestamp, '{}'))
    assert.deepEqual([reply.json.code, reply.json.field], ['invalid_events', 'events'])
  })

  test('for every code of 400', () => {
    const named = new Set<string>(['invalid_events', ...rows.map(([code]) => code)])
    for (const code of apiFailures) {
      if (failureStatus[code] !== 400) continue
      assert.equal(named.has(code), !WITHOUT_FIELD.some((one) => one === code), `${code} has a row above or needs one`)
    }
  })

  test('an unknown query parameter is refused by every route', async () => {
    const calls = [
      ['POST', '/api/invoices'],
      ['GET', '/api/invoices/0'],
      ['GET', '/api/users/shop/invoices'],
      ['POST', '/api/api-keys'],
      ['GET', '/api/users/shop/api-keys'],
      ['POST', '/api/api-keys/0/revoke'],
      ['GET', '/api/users/shop/webhook'],
      ['PUT', '/api/users/shop/webhook'],
      ['DELETE', '/api/users/shop/webhook'],
      ['GET', '/api/users/shop/webhook/deliveries'],
      ['POST', '/api/users/shop/webhook/deliveries/0/redeliver'],
      ['POST', '/api/users/shop/webhook/rotate'],
      ['POST', '/api/users/shop/webhook/test'],
      ['POST', '/api/invoices/0/void'],
      ['GET', '/api/users/shop/wallets'],
      ['GET', '/api/identity/shop/exists'],
      ['GET', '/api/wallets/claim/sep/eth'],
      ['GET', '/api/wallets/claim/niles/trx'],
      ['POST', '/internal/events'],
      ['GET', '/healthz'],
      ['GET', '/readyz'],
      ['GET', '/sandbox'],
      ['POST', '/sandbox/deposits'],
      ['POST', '/sandbox/ledger/'],
    ] as const
    for (const [method, path] of calls) {
      const reply = await fixture.call(method, `${path}?limti=5`, method === 'GET' ? {} : { body: {} })
      const { status, json } = reply
      assert.deepEqual([status, json?.code, json?.field], [400, 'invalid_query', 'limti'], `${method} ${path}`)
    }
    assert.equal((await fixture.call('HEAD', '/healthz?x=1')).status, 400)
    assert.equal((await fixture.call('OPTIONS', '/healthz?x=1')).status, 204)
    assert.equal((await fixture.get('/nothing?x=1')).status, 404)
    // A page.
    assert.equal((await fixture.get('/pay/0?x=1')).status, 404)
  })
})

test('Location and Link keep the path of the public URL', async (t) => {
  for (const [publicUrl, prefix] of [
    ['https://pay.example/shops/billhook/', '/shops/billhook'],
    ['https://pay.example', ''],
  ] as const) {
    const fixture = await ServiceFixture.start({ BILLHOOK_PUBLIC_URL: publicUrl })
    t.after(() => fixture.stop())
    await fixture.assign('shop', WALLET)
    for (const amount of ['1', '2']) {
      const reply = await fixture.post('/api/invoices', { ...INVOICE, amount })
      assert.equal(reply.headers.get('location'), `${prefix}/api/invoices/${reply.json.id}`)
      assert.equal(reply.json.url, `/pay/${reply.json.id}`)
    }
    const page = await fixture.get('/api/users/shop/invoices?limit=1&include=payment')
    const link = /^<([^>]*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    assert.ok(link.startsWith(`${prefix}/api/users/shop/invoices?limit=1&cursor=`), link)
    const next = await fixture.get(link.slice(prefix.length))
    assert.equal(next.json.length, 1)
    assert.notEqual(next.json[0].id, page.json[0].id)
  }
})
