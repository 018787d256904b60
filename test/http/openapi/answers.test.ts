import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Endpoint, endpoints, isForOwnPages } from '../../../src/http/endpoints.js'
import { identityOf, onboarding } from '../../sandbox/sandbox-fixture.js'
import { HTTP_ENGINES } from '../../support/http-engines.js'
import { projectRoot } from '../../support/project-root.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'
import { gatewayHeaders, ServiceFixture } from '../../support/service-fixture.js'
import { signRequest, type TestKey, testKey } from '../../support/signing.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'
import { validAddress } from '../../support/valid-address.js'
import { Caller, somePath } from './caller.js'
import { Contract } from './contract.js'

/** What an invoice may say of its order. */
const ORDER = { returnUrl: 'https://shop.example/', orderNumber: '7', metadata: { cart: 'c-7' } }

/*
 * Every operation is called on a running service, and every answer compared with the OpenAPI document. In the end nothing
 * of the document may be left that was never seen, but for what is listed here with its reason.
 */

/** Errors of every operation that a client cannot cause on purpose; each has a test of its own. */
const NOT_CAUSED: ReadonlySet<string> = new Set([
  // A defect, a full queue, a full disk, a slow client, or bytes that are no HTTP.
  ...['internal', 'overloaded', 'storage_unavailable', 'request_timeout', 'malformed_request', 'headers_too_large'],
  // The default HTTP server alone gives it, to a chunked body.
  'length_required',
  // Two requests at once.
  'idempotency_in_progress',
  // 64 sets of wallets; a sandbox without wallets left; 101 keys; claims without end.
  ...['too_many_wallet_sets', 'no_wallet_available', 'too_many_keys', 'too_many_claims'],
  // Needs a setting: one invoice for each wallet, one coin for each invoice, a ledger to be asked.
  ...['wallet_in_use', 'mixed_native_coins', 'ledger_unreachable'],
  // Thirty days later.
  'events_removed',
  // At the start and at the end of the service.
  ...['shutting_down', 'not_ready'],
])

/** Adds BNB to the networks. */
/** A service that has every endpoint. */
const ALL = { BILLHOOK_SANDBOX: 'on', BILLHOOK_RATES: 'push' }
const NETWORKS_FILE = join(projectRoot, 'test/http/openapi/networks.json')

const OWNER = 'an owner & co'
const HEX32 = '0'.repeat(32)
const ONBOARDING_NAME = 'acme.onboarding'

const contract = new Contract(['SEP', 'TRX-NILE', 'BNB'])
const seen = new Set<string>()

function signed(key: TestKey, tag: string, body = '', timestamp = String(Date.now())): Record<string, string> {
  return {
    'X-Service-Api-Key': key.publicKeyHex,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signRequest(key, tag, timestamp, body),
  }
}

async function calling(settings: Readonly<Record<string, string>>, work: (caller: Caller) => Promise<void>) {
  const fixture = await ServiceFixture.start(settings)
  const caller = new Caller(fixture, contract)
  try {
    await work(caller)
  } finally {
    await fixture.stop()
  }
  for (const one of caller.seen) seen.add(one)
}

const wallet = (name: string) => ({ id: name, address: validAddress('SEP', name), network: 'SEP' })

const tags = contract.tags

for (const engine of HTTP_ENGINES) {
  describe(`answers are as the document says (${engine})`, () => {
    let receiver: Receiver
    /** What lets go of the deliveries that are held; null: none is. */
    let holding: (() => void)[] | null = null
    before(async () => {
      receiver = await openReceiver((_request, response) => {
        if (holding === null) response.end()
        else holding.push(() => response.end())
      })
    })
    after(() => receiver.close())

    test('invoices', () =>
      calling({ BILLHOOK_HTTP: engine }, async (caller) => {
        const key = testKey('document shop')
        const create = 'POST /api/invoices'
        await caller.fixture.assign(OWNER, wallet('w-1'), wallet('w-2'))
        await caller.expect('POST /api/api-keys', 201, {
          body: { owner: OWNER, label: 'x', publicKey: key.publicKeyHex, permissions: ['invoices:create'] },
        })
        const order = { owner: OWNER, walletIds: ['w-1'], name: 'Order', amount: '1' }
        const { id } = (
          await caller.expect(create, 201, {
            body: { ...order, reference: 'r-1', description: 'Two', currency: 'USDT', ...ORDER, expiresInSeconds: 60 },
            headers: { 'Idempotency-Key': '"k"', 'X-Request-Id': 'mine' },
          })
        ).json
        const replayed = {
          body: { ...order, amount: '7', callbackUrl: `${receiver.url}/x`, reference: null },
          headers: { 'Idempotency-Key': 'replayed' },
        }
        await caller.expect(create, 201, replayed)
        assert.equal((await caller.expect(create, 201, replayed)).headers.get('idempotency-replayed'), 'true')
        for (const [code, more, headers = {}] of [
          ['invalid_json', '{'],
          ['invalid_invoice', { ...order, amount: '0' }],
          ['invalid_return_url', { ...order, returnUrl: '/orders/7' }],
          ['invalid_order_number', { ...order, orderNumber: 7 }],
          ['invalid_metadata', { ...order, metadata: { a: 1 } }],
          ['invalid_expiry', { ...order, expiresInSeconds: 59 }],
          ['unsupported_currency', { ...order, currency: 'EUR' }],
          ['wallet_not_owned', { ...order, walletIds: ['other'] }],
          ['invalid_callback_url', { ...order, callbackUrl: 'ftp://x' }],
          ['invalid_idempotency_key', order, { 'Idempotency-Key': 'ä' }],
          ['idempotency_key_reused', order, { 'Idempotency-Key': 'k' }],
          ['reference_in_use', { ...order, reference: 'r-1' }],
          ['amount_in_use', { ...order, currency: 'USDT' }],
        ] as const) {
          await caller.expect(create, code, { body: more, headers })
        }
        const text = JSON.stringify({ ...order, amount: '9' })
        const once = signed(key, create, text)
        await caller.expect(create, 201, { body: text, headers: once })
        await caller.expect('POST /api/invoices/:id/void', 200, {
          path: { id: (await caller.fixture.get(`/api/users/${encodeURIComponent(OWNER)}/invoices`)).json[0].id },
          headers: signed(key, 'POST /api/invoices/:id/void'),
        })
        await caller.expect(create, 'request_repeated', { body: text, headers: once })
        await caller.expect('POST /api/invoices/:id/accept', 'invoice_void', {
          path: { id: (await caller.fixture.get(`/api/users/${encodeURIComponent(OWNER)}/invoices`)).json[0].id },
          headers: signed(key, 'POST /api/invoices/:id/accept'),
        })
        for (const tag of [create, 'POST /api/invoices/:id/void', 'POST /api/invoices/:id/accept'])
          await refusedSignatures(caller, tag, { id })

        const list = 'GET /api/users/:id/invoices'
        const path = { id: OWNER }
        for (const query of [
          {},
          { limit: '1' },
          { limit: '1000', include: 'payment' },
          { reference: 'r-1' },
          { reference: 'r-1', include: 'payment' },
          { status: 'unpaid', currency: 'USDT', createdAfter: '1', createdBefore: '9999999999999' },
        ]) {
          await caller.expect(list, 200, { path, query })
        }
        const { headers } = await caller.expect(list, 200, { path, query: { limit: '1' } })
        const cursor = /cursor=([0-9a-f]{32})/.exec(headers.get('link') ?? '')?.[1] ?? ''
        await caller.expect(list, 200, { path, query: { limit: '1', cursor } })
        for (const query of [{ limit: '0' }, { cursor: 'x' }, { include: 'x' }]) {
          await caller.expect(list, 'invalid_query', { path, query })
        }

        await caller.expect('GET /api/invoices/:id', 200, { path: { id } })
        await caller.expect('GET /api/invoices/:id', 'invoice_not_found', { path: { id: HEX32 } })
        const page = await caller.expect('GET /pay/:id', 200, { path: { id } })
        const file = /data-wallets="shop\/wallet\/([^"]+)"/.exec(page.text)?.[1] ?? assert.fail(page.text)
        await caller.expect('GET /pay/shop/wallet/:file', 200, { path: { file } })
        await caller.expect('GET /pay/shop/wallet/:file', 'not_found', { path: { file: 'x' } })
        await caller.expect('GET /pay/:id', 'invoice_not_found', { path: { id: HEX32 } })
        await caller.expect('GET /pay/:id/qr/:file', 200, { path: { id, file: 'w-1.svg' } })
        await caller.expect('GET /pay/:id/qr/:file', 'not_found', { path: { id, file: 'w-2.svg' } })

        const end = 'POST /api/invoices/:id/void'
        await caller.expect(end, 'invalid_json', { path: { id }, body: '{' })
        await caller.expect(end, 'owner_required', { path: { id }, body: {} })
        await caller.expect(end, 'not_invoice_owner', { path: { id }, body: { owner: 'other' } })
        await caller.expect(end, 'invoice_not_found', { path: { id: HEX32 }, body: { owner: OWNER } })
        await caller.fixture.push({
          id: 'd-1',
          type: 'deposit.confirmed',
          deposit: {
            ...{ network: 'SEP', txHash: '0x1', toAddress: wallet('w-1').address, currency: 'Tether' },
            ...{ amount: '1000000', receivedAt: Date.now() + 1000 },
          },
        })
        await caller.expect(end, 'invoice_paid', { path: { id }, body: { owner: OWNER } })
        const accept = 'POST /api/invoices/:id/accept'
        await caller.expect(accept, 'invalid_json', { path: { id }, body: '{' })
        await caller.expect(accept, 'owner_required', { path: { id }, body: {} })
        await caller.expect(accept, 'not_invoice_owner', { path: { id }, body: { owner: 'other' } })
        await caller.expect(accept, 'invoice_not_found', { path: { id: HEX32 }, body: { owner: OWNER } })
        await caller.expect(accept, 200, { path: { id }, body: { owner: OWNER } })

        const events = 'GET /pay/:id/events'
        const news = (await caller.expect(events, 200, { path: { id } })).text
        const after = /^data: (.+)$/m.exec(news)?.[1] ?? assert.fail(news)
        await caller.expect(events, 204, { path: { id }, query: { after } })
        await caller.expect(events, 'invoice_not_found', { path: { id: HEX32 } })
      }))

    test('orders', () =>
      calling({ BILLHOOK_HTTP: engine }, async (caller) => {
        const create = 'POST /api/orders'
        const key = testKey('order shop')
        await caller.fixture.assign(OWNER, wallet('w-1'), wallet('w-2'))
        await caller.expect('POST /api/api-keys', 201, {
          body: { owner: OWNER, label: 'x', publicKey: key.publicKeyHex, permissions: ['invoices:create'] },
        })
        const options = [
          { walletIds: ['w-1'], currency: 'USDT' },
          { walletIds: ['w-2'], amount: '0.01' },
        ]
        const order = { owner: OWNER, price: { amount: '25.00', currency: 'USDT' }, options, name: 'Order' }
        const more = { ...order, reference: 'o-1', description: 'Two', ...ORDER, expiresInSeconds: 60 }
        const headers = { 'Idempotency-Key': '"k"' }
        const { id, invoices } = (await caller.expect(create, 201, { body: more, headers })).json
        const replayed = await caller.expect(create, 201, { body: more, headers })
        assert.equal(replayed.headers.get('idempotency-replayed'), 'true')
        const fixed = [{ walletIds: ['w-1'], amount: '3' }]
        for (const [code, body, sent = {}] of [
          ['invalid_json', '{'],
          ['invalid_order', { ...order, name: '' }],
          ['invalid_price', { ...order, price: { amount: '0', currency: 'EUR' } }],
          ['invalid_options', { ...order, options: [] }],
          ['unsupported_currency', { ...order, options: [{ walletIds: ['w-1'], currency: 'EUR' }] }],
          ['invalid_return_url', { ...order, returnUrl: '/orders/7' }],
          ['invalid_order_number', { ...order, orderNumber: 7 }],
          ['invalid_metadata', { ...order, metadata: { a: 1 } }],
          ['invalid_expiry', { ...order, expiresInSeconds: 59 }],
          ['wallet_not_owned', { ...order, options: [{ walletIds: ['other'] }] }],
          ['rate_unavailable', { ...order, price: { amount: '25.00', currency: 'EUR' } }],
          ['invalid_callback_url', { ...order, callbackUrl: 'ftp://x' }],
          ['invalid_idempotency_key', order, { 'Idempotency-Key': 'ä' }],
          ['idempotency_key_reused', order, { 'Idempotency-Key': 'k' }],
          ['reference_in_use', { ...order, reference: 'o-1' }],
          ['amount_in_use', { ...order, options: [{ walletIds: ['w-2'], amount: '0.010' }] }],
        ] as const) {
          await caller.expect(create, code, { body, headers: sent })
        }
        const text = JSON.stringify({ ...order, options: fixed })
        const once = signed(key, create, text)
        await caller.expect(create, 201, { body: text, headers: once })
        const [newest] = (await caller.fixture.get(`/api/users/${encodeURIComponent(OWNER)}/orders`)).json
        const end = 'POST /api/orders/:id/void'
        const path = { id: newest.id }
        await caller.expect(end, 200, { path, headers: signed(key, end) })
        await caller.expect(create, 'request_repeated', { body: text, headers: once })
        const accept = 'POST /api/orders/:id/accept'
        await caller.expect(accept, 'order_void', { path, headers: signed(key, accept) })
        for (const tag of [create, end, accept]) await refusedSignatures(caller, tag, { id })
        for (const tag of [end, accept]) {
          await caller.expect(tag, 'invalid_json', { path: { id }, body: '{' })
          await caller.expect(tag, 'owner_required', { path: { id }, body: {} })
          await caller.expect(tag, 'not_order_owner', { path: { id }, body: { owner: 'other' } })
          await caller.expect(tag, 'order_not_found', { path: { id: HEX32 }, body: { owner: OWNER } })
        }
        await caller.expect('GET /api/orders/:id', 200, { path: { id } })
        await caller.expect('GET /api/orders/:id', 'order_not_found', { path: { id: HEX32 } })
        await caller.expect('GET /order/:id', 200, { path: { id } })
        await caller.expect('GET /order/:id', 'order_not_found', { path: { id: HEX32 } })
        await caller.expect('GET /order/:id/qr/:file', 200, { path: { id, file: 'w-2.svg' } })
        await caller.expect('GET /order/:id/qr/:file', 'not_found', { path: { id, file: 'w-3.svg' } })
        const { headers: led } = await caller.expect('GET /pay/:id', 302, { path: { id: invoices[1].id } })
        assert.equal(led.get('location'), `../order/${id}?option=2`)
        await caller.fixture.push({
          id: 'd-1',
          type: 'deposit.confirmed',
          deposit: {
            ...{ network: 'SEP', txHash: '0x1', toAddress: wallet('w-1').address, currency: 'Tether' },
            ...{ amount: '25000000', receivedAt: Date.now() + 1000 },
          },
        })
        const paid = (await caller.expect('GET /api/orders/:id', 200, { path: { id } })).json
        assert.deepEqual([paid.status, paid.paid_fraction, invoices[0].rate], ['paid', '1.000000000000000000', '1'])
        await caller.expect(end, 'order_paid', { path: { id }, body: { owner: OWNER } })
        await caller.expect(accept, 200, { path: { id }, body: { owner: OWNER } })
        const events = 'GET /order/:id/events'
        const news = (await caller.expect(events, 200, { path: { id } })).text
        const after = /^data: (.+)$/m.exec(news)?.[1] ?? assert.fail(news)
        await caller.expect(events, 204, { path: { id }, query: { after } })
        await caller.expect(events, 'order_not_found', { path: { id: HEX32 } })
        const list = 'GET /api/users/:id/orders'
        const owner = { id: OWNER }
        for (const query of [{}, { limit: '1000' }, { reference: 'o-1' }, { status: 'paid', orderNumber: '7' }]) {
          await caller.expect(list, 200, { path: owner, query })
        }
        const link = (await caller.expect(list, 200, { path: owner, query: { limit: '1' } })).headers.get('link') ?? ''
        const cursor = /cursor=([0-9a-f]{32})/.exec(link)?.[1] ?? ''
        await caller.expect(list, 200, { path: owner, query: { limit: '1', cursor } })
        for (const query of [{ limit: '0' }, { cursor: 'x' }, { status: 'x' }]) {
          await caller.expect(list, 'invalid_query', { path: owner, query })
        }
        await caller.expect('GET /api/users/:id/events', 200, { path: owner })
      }))

    test('the logo', async () => {
      const place = temporaryDirectory()
      const path = join(place.path, 'logo.svg')
      writeFileSync(path, '<svg xmlns="http://www.w3.org/2000/svg"/>')
      const settings = { BILLHOOK_HTTP: engine, BILLHOOK_PAGE_NAME: 'Shop', BILLHOOK_PAGE_LOGO: path }
      await calling(settings, async (caller) => {
        const page = await caller.fixture.get('/pay/x')
        const file = /src="shop\/logo\/([^"]+)"/.exec(page.text)?.[1] ?? assert.fail(page.text)
        await caller.expect('GET /pay/shop/logo/:file', 200, { path: { file } })
        await caller.expect('GET /pay/shop/logo/:file', 'not_found', { path: { file: 'x' } })
      })
      place.remove()
    })

    test('API keys', () =>
      calling({ BILLHOOK_HTTP: engine }, async (caller) => {
        const register = 'POST /api/api-keys'
        const body = { owner: OWNER, label: 'x', publicKey: testKey('document 1').publicKeyHex, ttlDays: 0.5 }
        const permissions = ['payments:send', 'invoices:create', 'other']
        const { id } = (await caller.expect(register, 201, { body: { ...body, permissions } })).json
        await caller.expect(register, 'public_key_registered', { body: { ...body, permissions } })
        await caller.expect(register, 'invalid_api_key_registration', { body })
        await caller.expect(register, 'invalid_json', { body: '[]' })
        await caller.expect('GET /api/users/:id/api-keys', 200, { path: { id: OWNER } })
        const revoke = 'POST /api/api-keys/:id/revoke'
        await caller.expect(revoke, 'invalid_json', { path: { id }, body: '' })
        await caller.expect(revoke, 'owner_required', { path: { id }, body: {} })
        await caller.expect(revoke, 'not_key_owner', { path: { id }, body: { owner: 'other' } })
        await caller.expect(revoke, 'api_key_not_found', { path: { id: '0'.repeat(16) }, body: { owner: OWNER } })
        await caller.expect(revoke, 200, { path: { id }, body: { owner: OWNER } })
      }))

    test('webhooks', () =>
      calling({ BILLHOOK_HTTP: engine }, async (caller) => {
        const path = { id: OWNER }
        const [get, put] = ['GET /api/users/:id/webhook', 'PUT /api/users/:id/webhook']
        const [rotate, try_] = ['POST /api/users/:id/webhook/rotate', 'POST /api/users/:id/webhook/test']
        await caller.expect(get, 200, { path })
        await caller.expect(try_, 'no_callback_url', { path })
        const callbackUrl = `${receiver.url}/hook`
        await caller.expect(put, 200, { path, body: { callbackUrl, payload: null } })
        await caller.expect(put, 200, { path, body: { callbackUrl, payload: 'with-invoice' } })
        await caller.expect(get, 200, { path })
        await caller.expect(put, 'invalid_json', { path, body: '' })
        await caller.expect(put, 'invalid_callback_url', { path, body: { callbackUrl: 'x' } })
        await caller.expect(put, 'invalid_payload', { path, body: { callbackUrl, payload: 'x' } })
        await caller.expect(put, 'invalid_types', { path, body: { callbackUrl, types: [] } })
        await caller.expect(put, 'invalid_identity', { path: { id: 'x'.repeat(129) }, body: { callbackUrl } })
        await caller.expect(rotate, 200, { path })
        await caller.expect(rotate, 200, { path, body: { overlapSeconds: 0 } })
        await caller.expect(rotate, 'invalid_json', { path, body: '{' })
        await caller.expect(rotate, 'invalid_overlap', { path, body: { overlapSeconds: 0.5 } })
        await caller.expect(rotate, 'invalid_identity', { path: { id: 'x'.repeat(129) } })

        await caller.fixture.assign(OWNER, wallet('w-1'))
        const order = { owner: OWNER, walletIds: ['w-1'], name: 'Order', amount: '1', reference: 'r-1' }
        await caller.expect('POST /api/invoices', 201, { body: order })
        const first = receiver.requests.length
        await caller.fixture.push({
          id: 'd-1',
          type: 'deposit.pending',
          deposit: {
            ...{ network: 'SEP', txHash: '0x1', toAddress: wallet('w-1').address, currency: null },
            ...{ amount: '1', receivedAt: Date.now() + 1000 },
          },
        })
        await receiver.received(first + 1)
        const list = 'GET /api/users/:id/webhook/deliveries'
        let [delivery] = (await caller.expect(list, 200, { path, query: { limit: '1' } })).json
        while (delivery.state !== 'delivered') [delivery] = (await caller.expect(list, 200, { path })).json
        await caller.expect(list, 'invalid_query', { path, query: { cursor: 'x' } })

        const events = 'GET /api/users/:id/events'
        const [happened] = (await caller.expect(events, 200, { path, query: { limit: '1' } })).json
        await caller.expect(events, 200, { path, query: { after: happened.id } })
        await caller.expect(events, 'invalid_query', { path, query: { after: 'x' } })

        // One was used up above.
        for (let n = 0; n < 5; n += 1) await caller.expect(try_, 200, { path })
        await caller.expect(try_, 'too_many_tests', { path })
        for (const { headers, body } of receiver.requests.slice(first)) {
          assert.equal(contract.flawOfDelivery(headers, JSON.parse(body.toString())), null)
        }

        const redeliver = 'POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver'
        const again = { path: { ...path, deliveryId: delivery.id } }
        await caller.expect(redeliver, 'delivery_not_found', { path: { ...path, deliveryId: HEX32 } })
        const held: (() => void)[] = []
        holding = held
        const arrived = receiver.received(receiver.requests.length + 1)
        await caller.expect(redeliver, 200, again)
        await arrived
        await caller.expect(redeliver, 'delivery_in_progress', again)
        holding = null
        for (const letGo of held) letGo()
        do [delivery] = (await caller.expect(list, 200, { path })).json
        while (delivery.state !== 'delivered')
        await caller.expect(redeliver, 'too_many_redeliveries', again)
        await caller.expect('DELETE /api/users/:id/webhook', 200, { path })
      }))

    test('wallets, identities, the gateway and the service itself', () =>
      calling({ BILLHOOK_HTTP: engine, ...ALL, BILLHOOK_NETWORKS: NETWORKS_FILE }, async (caller) => {
        const niles = 'GET /api/wallets/claim/niles/trx'
        const { id } = (await caller.expect(niles, 200)).json
        await caller.expect('GET /api/wallets/claim/sep/eth', 200)
        const others = 'GET /api/wallets/claim/:chain/:coin'
        await caller.expect(others, 200, { path: { chain: 'bnb', coin: 'bnb' } })
        await caller.expect(others, 'not_found', { path: { chain: 'sep', coin: 'trx' } })
        const push = 'POST /internal/events'
        const event = { id: 'e-1', type: 'wallet.assigned', wallet: { id }, owner: OWNER }
        const deposit = { network: 'SEP', txHash: '0x1', toAddress: validAddress('SEP', 'x'), amount: '1' }
        const events = [
          event,
          { id: 'e-2', type: 'identity.onboarded', identity: 'someone' },
          { id: 'e-3', type: 'wallet.created', wallet: wallet('e-3') },
          { id: 'e-4', type: 'deposit.pending', deposit },
          {
            id: 'e-5',
            type: 'deposit.confirmed',
            deposit: { ...deposit, index: 1, currency: 'Tether', receivedAt: 1 },
          },
        ]
        const pushed = async (text: string) => ({ body: text, headers: gatewayHeaders(String(Date.now()), text) })
        const text = JSON.stringify({ events })
        const { results } = (await caller.expect(push, 200, await pushed(text))).json
        assert.deepEqual(new Set(results.map(({ status }: { status: string }) => status)), new Set(['applied']))
        await caller.expect(push, 200, await pushed(text))
        await caller.expect(push, 'invalid_gateway_signature', { body: text })
        await caller.expect(push, 'invalid_json', await pushed('{'))
        await caller.expect(push, 'invalid_events', await pushed('{"events": []}'))
        const pushRates = 'POST /internal/rates'
        const set = JSON.stringify({ at: Date.now(), rates: { EUR: { USDT: '0.92' } } })
        await caller.expect(pushRates, 200, await pushed(set))
        await caller.expect(pushRates, 200, await pushed(set))
        await caller.expect(pushRates, 'invalid_rates', await pushed(set.replace('0.92', '0.93')))
        await caller.expect(pushRates, 'invalid_gateway_signature', { body: set })
        await caller.expect(pushRates, 'invalid_json', await pushed('{'))
        // Not as documented, but answered as documented.
        const reply = await caller.fixture.post(push.split(' ')[1] ?? '', ...flawed())
        assert.equal(contract.flawOfAnswer(push, reply), null, reply.text)

        await caller.expect('GET /api/users/:id/wallets', 200, { path: { id: OWNER } })
        await caller.expect('GET /api/identity/:id/exists', 200, { path: { id: OWNER } })
        await caller.expect('GET /api/identity/:id/exists', 200, { path: { id: 'nobody' } })

        await caller.expect('GET /healthz', 200)
        await caller.expect('GET /api/info', 200)
        await caller.expect('GET /api/rates', 200)
        await caller.expect('GET /readyz', 200)
        const { headers } = await caller.expect('GET /openapi.json', 200)
        await caller.expect('GET /docs', 200)
        await caller.expect('GET /docs', 304, { headers: { 'If-None-Match': '*' } })
        for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'start.js', 'LICENSE', 'NOTICE']) {
          const path = { file }
          await caller.expect('GET /docs/:file', 200, { path })
          await caller.expect('GET /docs/:file', 200, { path, headers: { 'Accept-Encoding': 'identity' } })
          await caller.expect('GET /docs/:file', 304, { path, headers: { 'If-None-Match': '*' } })
        }
        await caller.expect('GET /docs/:file', 'not_found', { path: { file: '../package.json' } })
        await caller.expect('GET /openapi.json', 304, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
      }))

    test('the sandbox', () =>
      calling({ BILLHOOK_HTTP: engine, BILLHOOK_SANDBOX: 'on' }, async (caller) => {
        const place = (await caller.expect('GET /sandbox', 200)).json
        const key = testKey('document sandbox')
        const { $umid: umid } = (await caller.expect('POST /sandbox/ledger', 200, { body: onboarding(place, key) }))
          .json
        const identity = identityOf(`0x${key.publicKeyHex}`, place.onboardingName)
        await caller.expect('GET /sandbox/ledger/api/stream/:id', 200, { path: { id: identity } })
        await caller.expect('GET /sandbox/ledger/api/stream/:id', 500, { path: { id: 'x' } })
        await caller.expect('GET /sandbox/ledger/api/tx/:umid', 500, { path: { umid: 'x' } })
        await caller.expect(UMIDS, 200, { query: { from: '0', limit: '9' } })
        await caller.expect('GET /sandbox/ledger/api/tx/:umid', 200, { path: { umid } })
        await caller.expect(UMIDS, 500)
        await caller.expect('POST /sandbox/ledger', 500, { body: {} })

        const setRates = 'POST /sandbox/rates'
        const set = await caller.expect(setRates, 200, { body: { rates: { EUR: { USDT: '0.92', ETH: '3000' } } } })
        assert.ok(set.json.left_out.length > 0)
        await caller.expect(setRates, 'invalid_rates', { body: { rates: { EUR: { USDT: 'x' } } } })
        await caller.expect(setRates, 'invalid_json', { body: '' })
        await caller.expect('GET /api/rates', 200)

        const deposit = 'POST /sandbox/deposits'
        const { address } = (await caller.expect('GET /api/wallets/claim/sep/eth', 200)).json
        const body = { address, amount: '1', currency: 'USDT', network: 'SEP', txHash: '0x7', kind: 'pending' }
        await caller.expect(deposit, 200, { body })
        await caller.expect(deposit, 200, { body: { address, amount: '.5', receivedAt: 1, currency: null } })
        await caller.expect(deposit, 'invalid_json', { body: '' })
        await caller.expect(deposit, 'invalid_sandbox_deposit', { body: {} })
        for (const what of ['confirm', 'drop']) {
          const settle = `POST /sandbox/deposits/:txHash/${what}`
          await caller.expect(settle, 200, { path: { txHash: '0x7' } })
          await caller.expect(settle, 'deposit_not_found', { path: { txHash: 'x' } })
        }
      }))

    test('what a browser, a large body, a wrong name or a wrong parameter gets', () =>
      calling({ BILLHOOK_HTTP: engine, ...ALL }, async (caller) => {
        const page = { 'Sec-Fetch-Site': 'cross-site' }
        const own = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'text/plain' }
        for (const tag of tags) {
          const endpoint = endpoints[tag as keyof typeof endpoints]
          const path = somePath(tag)
          if (endpoint.query !== 'any') await caller.expect(tag, 'invalid_query', { path, query: { referense: 'x' } })
          await wrongHost(caller, tag)
          if (isForOwnPages(tag, endpoint)) await caller.expect(tag, 'cross_site', { path, headers: page })
          if (tag.startsWith('GET ')) continue
          if (isForOwnPages(tag, endpoint)) {
            await caller.expect(tag, 'unsupported_media_type', { path, headers: own, body: '{}' })
          }
          const large = 'x'.repeat((endpoint.bodyLimitBytes ?? 65_536) + 1)
          const headers = tag.startsWith('POST /internal/') ? gatewayHeaders(String(Date.now()), large) : {}
          await caller.expect(tag, 'body_too_large', { path, headers, body: large })
        }
      }))

    test('too many requests', () =>
      calling({ BILLHOOK_HTTP: engine, BILLHOOK_RATE_LIMIT: '1', ...ALL }, async (caller) => {
        await caller.fixture.get('/')
        for (const tag of tags) {
          if (endpoints[tag as keyof typeof endpoints].counts === 'nothing') continue
          await caller.expect(tag, 429, { path: somePath(tag) })
        }
      }))

    test('where the sandbox and the gateway are missing', () =>
      calling({ BILLHOOK_HTTP: engine, BILLHOOK_GATEWAY_SECRET: '' }, async (caller) => {
        for (const tag of tags.filter((one) => one.includes('/sandbox') || one.includes('/internal'))) {
          await caller.expect(tag, 'not_found', { path: somePath(tag) })
        }
      }))

    test('strict mode', () =>
      calling(
        { BILLHOOK_HTTP: engine, BILLHOOK_STRICT: 'on', BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME },
        async (caller) => {
          const [alice, bob] = [identity('alice'), identity('bob')]
          await caller.fixture.push(
            { id: '1', type: 'identity.onboarded', identity: alice.id },
            { id: '2', type: 'identity.onboarded', identity: bob.id },
          )
          await caller.fixture.assign(alice.id, wallet('w-1'))
          const register = 'POST /api/api-keys'
          const registration = ({ id }: { id: string }, key: TestKey, more = {}) =>
            JSON.stringify({
              owner: id,
              label: 'x',
              publicKey: key.publicKeyHex,
              permissions: ['invoices:create'],
              ...more,
            })
          const enrol = async (who: typeof alice, key: TestKey, more = {}) => {
            const body = registration(who, key, more)
            return (await caller.expect(register, 201, { body, headers: signed(who.key, register, body) })).json.id
          }
          const [ofAlice, ofBob, revoked, expired] = ['a', 'b', 'c', 'd'].map((name) => testKey(`document ${name}`))
          assert.ok(ofAlice && ofBob && revoked && expired)
          await enrol(alice, ofAlice)
          await enrol(bob, ofBob)
          const revokedId = await enrol(alice, revoked)
          await enrol(alice, expired, { ttlDays: 1e-9 })
          const revoke = 'POST /api/api-keys/:id/revoke'
          const body = JSON.stringify({ owner: alice.id })
          const path = { id: revokedId }
          await caller.expect(revoke, 200, { path, body, headers: signed(ofAlice, revoke, body) })
          await caller.expect(revoke, 'owner_required', { path, body: '{}', headers: signed(ofAlice, revoke, '{}') })
          await caller.expect(revoke, 'invalid_json', { path, body: '{', headers: signed(ofAlice, revoke, '{') })

          const stranger = registration(identity('nobody'), testKey('document e'))
          const nobody = identity('nobody').key
          await caller.expect(register, 'not_identity_key', {
            body: stranger,
            headers: signed(ofAlice, register, stranger),
          })
          await caller.expect(register, 'unknown_identity', {
            body: stranger,
            headers: signed(nobody, register, stranger),
          })
          await caller.expect(register, 'missing_auth_headers', { body: stranger })
          await caller.expect(register, 'invalid_timestamp', {
            body: stranger,
            headers: signed(nobody, register, stranger, '1'),
          })
          await caller.expect(register, 'invalid_signature', {
            body: stranger,
            headers: signed(nobody, 'POST /', stranger),
          })

          const order = JSON.stringify({ walletIds: ['w-1'], name: 'Order', amount: '1' })
          const create = 'POST /api/invoices'
          const created = await caller.expect(create, 201, { body: order, headers: signed(ofAlice, create, order) })
          const options = [{ walletIds: ['w-1'], amount: '2' }]
          const priced = JSON.stringify({ price: { amount: '2', currency: 'EUR' }, options, name: 'Order' })
          const ordering = 'POST /api/orders'
          const ordered = await caller.expect(ordering, 201, {
            body: priced,
            headers: signed(ofAlice, ordering, priced),
          })
          const idOf = (endpoint: Endpoint) => {
            if (endpoint.access !== 'owner') return created.json.id
            return { path: alice.id, order: ordered.json.id, invoice: created.json.id, body: created.json.id }[
              endpoint.owner
            ]
          }
          for (const tag of tags) {
            const endpoint = endpoints[tag as keyof typeof endpoints]
            if (endpoint.access !== 'owner' && endpoint.access !== 'api-key') continue
            const of = {
              ...somePath(tag),
              id: idOf(endpoint),
            }
            const needsBody = endpoint.access === 'owner' && endpoint.owner === 'body'
            const text = needsBody ? body : ''
            const call = (headers: Record<string, string>) => ({
              path: of,
              headers,
              ...(needsBody ? { body: text } : {}),
            })
            await caller.expect(tag, 'missing_auth_headers', call({}))
            await caller.expect(tag, 'invalid_timestamp', call(signed(ofAlice, tag, text, '1')))
            await caller.expect(tag, 'invalid_signature', call(signed(ofAlice, 'GET /', text)))
            await caller.expect(tag, 'unknown_api_key', call(signed(testKey('document f'), tag, text)))
            await caller.expect(tag, 'api_key_revoked', call(signed(revoked, tag, text)))
            await caller.expect(tag, 'api_key_expired', call(signed(expired, tag, text)))
            if (endpoint.access === 'owner') await caller.expect(tag, 'not_owner', call(signed(ofBob, tag, text)))
            if (endpoint.access === 'owner' && endpoint.owner === 'path')
              await caller.call(tag, call(signed(ofAlice, tag, text)))
          }
          await caller.expect('GET /api/orders/:id', 200, {
            path: { id: ordered.json.id },
            headers: signed(ofAlice, 'GET /api/orders/:id'),
          })
          await caller.expect('GET /api/invoices/:id', 200, {
            path: { id: created.json.id },
            headers: signed(ofAlice, 'GET /api/invoices/:id'),
          })
        },
      ))
  })
}

test('everything in the document was seen', () => {
  const unseen = tags.flatMap((tag) => {
    const { responses } = contract.operation(tag)
    const successes = Object.keys(responses).filter((status) => Number(status) < 400)
    const codes = [...contract.codesOf(tag).values()].flat().filter((code) => !NOT_CAUSED.has(code))
    return [...successes, ...codes].filter((one) => !seen.has(`${tag} ${one}`)).map((one) => `${tag} ${one}`)
  })
  assert.deepEqual(unseen, [])
})

const UMIDS = 'GET /sandbox/ledger/activeledgerevents/umids'

function identity(name: string): { readonly id: string; readonly key: TestKey } {
  const key = testKey(`document identity ${name}`)
  return {
    key,
    id: createHash('sha256')
      .update(key.publicKeyHex + ONBOARDING_NAME)
      .digest('hex'),
  }
}

/** A push with events that are rejected. */
function flawed(): [string, Record<string, string>] {
  const text = JSON.stringify({ events: [{}, { id: 'e-9', type: 'x' }, 1] })
  return [text, gatewayHeaders(String(Date.now()), text)]
}

/** A signed request that is refused because of its key. */
async function refusedSignatures(caller: Caller, tag: string, path: Record<string, string>): Promise<void> {
  const key = testKey(`document without permission ${tag}`)
  await caller.expect('POST /api/api-keys', 201, {
    body: { owner: OWNER, label: 'x', publicKey: key.publicKeyHex, permissions: ['payments:send'] },
  })
  await caller.expect(tag, 'permission_missing', { path, headers: signed(key, tag) })
}

/** `fetch` writes the Host header itself. */
async function wrongHost(caller: Caller, tag: string): Promise<void> {
  const [method = '', pattern = ''] = tag.split(' ')
  const path = pattern.replace(/:\w+/g, 'x')
  const reply = await new Promise<{ status: number; headers: Headers; text: string }>((resolve, reject) => {
    const sent = request(`${caller.fixture.url}${path}`, { method, headers: { Host: 'evil.example' } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      const headers = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers, text }))
    })
    sent.on('error', reject).end()
  })
  assert.equal(reply.status, 421, tag)
  assert.equal(contract.flawOfAnswer(tag, reply), null, tag)
  caller.seen.add(`${tag} wrong_host`)
}
