import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { Billhook, BillhookError, type BillhookOptions, keySigner } from '@billhook/client'
import { decodeDerSignature } from '../../src/crypto/der.js'
import { noble } from '../../src/crypto/noble.js'
import { testKey } from '../support/signing.js'
import { chosenSignatures } from './chosen-signatures.js'
import { FakeService, refusal, type Scripted } from './fake-service.js'

const key = testKey('client')
const ORDER_DRAFT = {
  price: { amount: '25.00', currency: 'USDT' },
  options: [{ walletIds: ['w'], currency: 'USDT' }],
  name: 'Tea',
}
const DRAFT = { walletIds: ['w'], name: 'Tea', amount: '1' }
const CREATED: Scripted = { status: 201, body: { id: 'f'.repeat(32), url: `/pay/${'f'.repeat(32)}` } }
const KEYS: Scripted = { status: 200, body: [] }
const INFO: Scripted = { status: 200, body: { networks: [{ id: 'SEP', claim: 'sep/eth' }] } }
const LOST = new TypeError('fetch failed')
const URL = 'https://pay.example/prefix/'

function client(script: readonly Scripted[], more: Partial<BillhookOptions> = {}) {
  const service = new FakeService(script)
  const { fetch } = service
  const billhook = new Billhook({ url: URL, owner: 'an owner', fetch, retryDelayMs: 1, ...more })
  return { service, billhook }
}

/** Asserts that a promise is rejected with a `BillhookError` of this code, and answers the error. */
async function failsWith(code: string, work: Promise<unknown>): Promise<BillhookError> {
  const error = await work.then(
    () => assert.fail(`it worked, instead of ${code}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof BillhookError, String(error))
  assert.equal(error.code, code)
  return error
}

function isSignedBy(
  publicKey: Uint8Array,
  headers: Readonly<Record<string, string>>,
  tag: string,
  body: string,
): boolean {
  const der = Buffer.from(headers['X-Service-Signature'] ?? '', 'base64')
  const text = `${tag}\n${headers['X-Service-Timestamp']}\n${body}`
  return noble.verify(der, createHash('sha256').update(text).digest(), publicKey)
}

describe('requests', () => {
  test('go to the path below the prefix, encoded, without credentials and redirects', async () => {
    const { service, billhook } = client([KEYS], { owner: 'a/ü' })
    await billhook.listApiKeys()
    const [asked] = service.asked
    assert.equal(asked?.url, 'https://pay.example/prefix/api/users/a%2F%C3%BC/api-keys')
    assert.deepEqual([asked.init.credentials, asked.init.redirect], ['omit', 'manual'])
  })

  test('are signed with the pattern, the time and the bytes that are sent', async () => {
    const { service, billhook } = client([CREATED, KEYS], { privateKey: key.secretKey })
    const before = Date.now()
    await billhook.createInvoice({ ...DRAFT, name: 'Tée 🫖' })
    await billhook.listApiKeys()
    const [created, listed] = service.asked
    assert.ok(created !== undefined && listed !== undefined)
    assert.equal(created.headers['X-Service-Api-Key'], key.publicKeyHex)
    assert.ok(Number(created.headers['X-Service-Timestamp']) >= before)
    assert.ok(isSignedBy(key.publicKey, created.headers, 'POST /api/invoices', created.body ?? ''))
    assert.ok(isSignedBy(key.publicKey, listed.headers, 'GET /api/users/:id/api-keys', ''))
    assert.equal(JSON.parse(created.body ?? '').owner, undefined)
  })

  test('name the owner where nothing signs', async () => {
    const { service, billhook } = client([CREATED])
    await billhook.createInvoice(DRAFT)
    assert.deepEqual(JSON.parse(service.asked[0]?.body ?? ''), { owner: 'an owner', ...DRAFT })
    assert.equal(service.asked[0]?.headers['X-Service-Signature'], undefined)
  })

  test('carry DER, whether the signer answers DER or r and s, and however short they are', async () => {
    for (const { compact, der } of chosenSignatures) {
      for (const answered of [compact, der]) {
        const signer = { publicKey: key.publicKeyHex, sign: async () => answered }
        const { service, billhook } = client([KEYS], { signer })
        await billhook.listApiKeys()
        const sent = Buffer.from(service.asked[0]?.headers['X-Service-Signature'] ?? '', 'base64')
        assert.deepEqual(new Uint8Array(sent), der)
        assert.deepEqual(decodeDerSignature(sent), compact)
      }
    }
  })

  test('are not made with a key, an address or an owner that cannot be right', async () => {
    const { fetch } = new FakeService([])
    const wrong: readonly BillhookOptions[] = [
      { url: 'pay.example' },
      { url: 'ftp://pay.example' },
      { url: 'https://' },
      { url: URL, owner: ' ' },
      { url: URL, privateKey: 'x' },
      { url: URL, signer: { publicKey: `04${'0'.repeat(128)}`, sign: async () => new Uint8Array() } },
      { url: URL, privateKey: key.secretKey, signer: keySigner(key.secretKey) },
    ]
    for (const options of wrong) assert.throws(() => new Billhook({ fetch, ...options }), TypeError)
    await assert.rejects(new Billhook({ url: URL, fetch }).listApiKeys(), TypeError)
    assert.throws(() => new Billhook({ url: 'pay.example' }), {
      name: 'TypeError',
      message: 'the url must begin with https:// or http://: pay.example',
    })
  })
})

describe('requests that would be lost or go astray', () => {
  test('are refused for a field that they do not have, before anything is sent', async () => {
    const { service, billhook } = client([])
    const misspelt = { ...DRAFT, refrence: 'order-1' }
    const told = /^createInvoice has no field "refrence"; did you mean "reference"\? It has owner, walletIds, name, /
    await assert.rejects(
      billhook.createInvoice(misspelt),
      (error: Error) => error instanceof TypeError && told.test(error.message),
    )
    const others: readonly (() => Promise<unknown>)[] = [
      () => billhook.registerApiKey({ label: 'l', publicKey: key.publicKeyHex, ...{ ttl: 1 } }),
      () => billhook.setWebhook({ callbackUrl: 'https://shop.example', ...{ url: 'x' } }),
      () => billhook.rotateWebhookSecret({ overlapSeconds: 1, ...{ overlap: 1 } }),
      () => billhook.simulateDeposit({ amount: '1', ...{ invoice: 'i' } }),
    ]
    for (const call of others) await assert.rejects(call(), TypeError)
    assert.equal(service.asked.length, 0)
  })

  test('leave out a field that is undefined, known or not', async () => {
    const { billhook } = client([CREATED])
    await billhook.createInvoice({ ...DRAFT, reference: undefined, ...{ refrence: undefined } })
  })

  test('are refused for an empty name in their path, before anything is sent', async () => {
    const { service, billhook } = client([])
    for (const id of ['', ' ', undefined as unknown as string]) {
      await assert.rejects(billhook.getInvoice(id), {
        name: 'TypeError',
        message: 'GET /api/invoices/:id needs the id, a text that is not empty',
      })
    }
    assert.equal(service.asked.length, 0)
  })
})

describe('the networks of a service', () => {
  const info = (...ids: string[]): Scripted => ({
    status: 200,
    body: { networks: ids.map((id) => ({ id, symbol: 'ETH', decimals: 6, claim: `${id.toLowerCase()}/x` })) },
  })
  const wallet: Scripted = { status: 200, body: { id: 'w', address: 'a' } }

  test('are asked for once, and lead to the path of a claim', async () => {
    const { service, billhook } = client([info('ETH', 'BASE'), wallet, wallet])
    await billhook.claimWallet('ETH')
    await billhook.claimWallet('BASE')
    const paths = service.asked.map(({ url }) => url.slice(URL.length - 1))
    assert.deepEqual(paths, ['/api/info', '/api/wallets/claim/eth/x', '/api/wallets/claim/base/x'])
  })

  test('are asked for once more when one is not among them', async () => {
    const { service, billhook } = client([info('ETH'), wallet, info('ETH', 'BASE'), wallet])
    await billhook.claimWallet('ETH')
    await billhook.claimWallet('BASE')
    assert.equal(service.asked.length, 4)
  })

  test('are all that can be claimed of: nothing is sent for another', async () => {
    for (const network of ['eth', 'SOL', '', '../../users', undefined as unknown as string]) {
      const { service, billhook } = client([info('ETH', 'BASE')])
      await assert.rejects(billhook.claimWallet(network), /has no network .* It has ETH, BASE\.$/)
      assert.deepEqual(
        service.asked.map(({ url }) => url),
        ['https://pay.example/prefix/api/info'],
      )
    }
  })

  test('are suggested only where one is near', async () => {
    for (const [network, told] of [
      ['SOL', 'this service has no network "SOL". It has SEP, POLYGON.'],
      ['sep', 'this service has no network "sep"; did you mean "SEP"? It has SEP, POLYGON.'],
      ['POLGYON', 'this service has no network "POLGYON"; did you mean "POLYGON"? It has SEP, POLYGON.'],
    ] as const) {
      const { billhook } = client([info('SEP', 'POLYGON')])
      await assert.rejects(billhook.claimWallet(network), { name: 'TypeError', message: told })
    }
  })

  test('give amounts their decimals, and are asked for once', async () => {
    const { service, billhook } = client([info('BNB')])
    const observed = { network: 'BNB', amount: '25000000', currency: 'Tether' }
    assert.equal((await billhook.amountOf(observed)).text, '25 USDT')
    await billhook.amountOf(observed)
    assert.equal(service.asked.length, 1)
  })
})

describe('a signal', () => {
  test('ends every method', async () => {
    const reason = new Error('the customer left')
    const options = { signal: AbortSignal.abort(reason) }
    const { billhook } = client(Array(100).fill(LOST), { privateKey: key.secretKey })
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      createInvoice: () => billhook.createInvoice(DRAFT, options),
      getInvoice: () => billhook.getInvoice('i', options),
      voidInvoice: () => billhook.voidInvoice('i', options),
      acceptInvoice: () => billhook.acceptInvoice('i', options),
      listInvoices: () => billhook.listInvoices(options).next(),
      listInvoicesWithoutPayment: () => billhook.listInvoicesWithoutPayment(options).next(),
      waitForPayment: () => billhook.waitForPayment('i', options),
      createOrder: () => billhook.createOrder(ORDER_DRAFT, options),
      getOrder: () => billhook.getOrder('o', options),
      voidOrder: () => billhook.voidOrder('o', options),
      acceptOrder: () => billhook.acceptOrder('o', options),
      listOrders: () => billhook.listOrders(options).next(),
      waitForOrder: () => billhook.waitForOrder('o', options),
      registerApiKey: () => billhook.registerApiKey({ label: 'l' }, options),
      listApiKeys: () => billhook.listApiKeys(options),
      revokeApiKey: () => billhook.revokeApiKey('k', options),
      getWebhook: () => billhook.getWebhook(options),
      setWebhook: () => billhook.setWebhook({ callbackUrl: 'https://shop.example' }, options),
      deleteWebhook: () => billhook.deleteWebhook(options),
      rotateWebhookSecret: () => billhook.rotateWebhookSecret({}, options),
      testWebhook: () => billhook.testWebhook(options),
      listWebhookDeliveries: () => billhook.listWebhookDeliveries(options).next(),
      redeliverWebhook: () => billhook.redeliverWebhook('d', options),
      listEvents: () => billhook.listEvents(options).next(),
      amountOf: () => billhook.amountOf({ network: 'SEP', amount: '1', currency: null }, options),
      identityExists: () => billhook.identityExists('i', options),
      waitForIdentity: () => billhook.waitForIdentity(options),
      claimWallet: () => billhook.claimWallet('SEP', options),
      listWallets: () => billhook.listWallets(options),
      waitForWallet: () => billhook.waitForWallet('w', options),
      getInfo: () => billhook.getInfo(options),
      getRates: () => billhook.getRates(options),
      describeSandbox: () => billhook.describeSandbox(options),
      simulateDeposit: () => billhook.simulateDeposit({ invoiceId: 'i' }, options),
      setSandboxRates: () => billhook.setSandboxRates({ EUR: { USDT: '1' } }, options),
      request: () => billhook.request({ tag: 'GET /api/info', ...options }),
    }
    const methods = Object.getOwnPropertyNames(Billhook.prototype).filter((name) => name !== 'constructor')
    assert.deepEqual(Object.keys(calls).sort(), methods.sort())
    for (const [name, call] of Object.entries(calls)) {
      await assert.rejects(call(), (error) => error === reason, name)
    }
  })
})

describe('repetitions', () => {
  for (const trouble of [LOST, ...[429, 500, 502, 503, 504].map((status) => refusal(status, 'overloaded'))]) {
    const told = trouble instanceof Error ? 'a lost answer' : `a ${trouble.status}`
    test(`are made of a creation and of a read after ${told}`, async () => {
      const { service, billhook } = client([trouble, trouble, CREATED, trouble, KEYS], { privateKey: key.secretKey })
      await billhook.createInvoice(DRAFT)
      await billhook.listApiKeys()
      assert.equal(service.asked.length, 5)
    })

    test(`are never made of a POST without an idempotency key, nor of a claim, after ${told}`, async () => {
      const calls: readonly ((billhook: Billhook) => Promise<unknown>)[] = [
        (billhook) => billhook.voidInvoice('i'),
        (billhook) => billhook.acceptInvoice('i'),
        (billhook) => billhook.voidOrder('o'),
        (billhook) => billhook.acceptOrder('o'),
        (billhook) => billhook.registerApiKey({ label: 'l', publicKey: key.publicKeyHex }),
        (billhook) => billhook.revokeApiKey('k'),
        (billhook) => billhook.rotateWebhookSecret(),
        (billhook) => billhook.testWebhook(),
        (billhook) => billhook.redeliverWebhook('d'),
        (billhook) => billhook.claimWallet('SEP'),
        (billhook) => billhook.simulateDeposit({ invoiceId: 'i' }),
      ]
      for (const call of calls) {
        const isClaim = String(call).includes('claimWallet')
        const { service, billhook } = client(isClaim ? [INFO, trouble] : [trouble])
        await failsWith(trouble instanceof Error ? 'unreachable' : 'overloaded', call(billhook))
        assert.equal(service.asked.length, isClaim ? 2 : 1)
      }
    })
  }

  test('of a creation have the same key and body, and each invoice has a key of its own', async () => {
    const { service, billhook } = client([LOST, CREATED, CREATED, CREATED], { privateKey: key.secretKey })
    await billhook.createInvoice(DRAFT)
    await billhook.createInvoice(DRAFT)
    await billhook.createInvoice(DRAFT, { idempotencyKey: 'order-7' })
    const [lost, again, other, named] = service.asked.map(({ headers, body }) => [headers['Idempotency-Key'], body])
    assert.deepEqual(again, lost)
    assert.match(String(lost?.[0]), /^[0-9a-f]{32}$/)
    assert.notEqual(other?.[0], lost?.[0])
    assert.equal(named?.[0], 'order-7')
  })

  test('wait for a first creation that is still in progress', async () => {
    const { service, billhook } = client([LOST, refusal(409, 'idempotency_in_progress'), CREATED])
    await billhook.createInvoice(DRAFT)
    assert.equal(service.asked.length, 3)
  })

  test('end after four attempts, and none follows another refusal', async () => {
    const four = client([LOST, LOST, LOST, LOST])
    await failsWith('unreachable', four.billhook.createInvoice(DRAFT))
    const one = client([refusal(409, 'amount_in_use')])
    await failsWith('amount_in_use', one.billhook.createInvoice(DRAFT))
    assert.deepEqual([four.service.asked.length, one.service.asked.length], [4, 1])
  })

  test('wait as long as the service asks, and leave a long wait to the caller', async () => {
    const { billhook } = client([refusal(503, 'overloaded', { 'Retry-After': '1' }), KEYS])
    const before = Date.now()
    await billhook.listApiKeys()
    assert.ok(Date.now() - before >= 990)
    const late = client([refusal(429, 'rate_limited', { 'Retry-After': '31' })])
    const error = await failsWith('rate_limited', late.billhook.listApiKeys())
    assert.equal(error.retryAfterMs, 31_000)
  })
})

describe('the clock', () => {
  const date = (ms: number) => ({ Date: new Date(Date.now() + ms).toUTCString() })
  const HOUR_MS = 3_600_000

  test('is corrected after a refused timestamp, for this request and those that follow', async () => {
    const { service, billhook } = client(
      [refusal(401, 'invalid_timestamp', date(HOUR_MS)), { status: 200, body: {} }, CREATED],
      { privateKey: key.secretKey },
    )
    await billhook.voidInvoice('i')
    await billhook.createInvoice(DRAFT)
    const times = service.asked.map(({ headers }) => Number(headers['X-Service-Timestamp']) - Date.now())
    assert.ok(Math.abs(times[0] ?? 0) < 5000)
    for (const time of times.slice(1)) assert.ok(Math.abs(time - HOUR_MS) < 5000, String(time))
    const [, again] = service.asked
    assert.ok(again !== undefined && isSignedBy(key.publicKey, again.headers, 'POST /api/invoices/:id/void', ''))
  })

  test('is corrected once, and not without the time of the service', async () => {
    const refused = refusal(401, 'invalid_timestamp', date(HOUR_MS))
    const twice = client([refused, refused], { privateKey: key.secretKey })
    await failsWith('invalid_timestamp', twice.billhook.createInvoice(DRAFT))
    const never = client([refusal(401, 'invalid_timestamp')], { privateKey: key.secretKey })
    await failsWith('invalid_timestamp', never.billhook.createInvoice(DRAFT))
    assert.deepEqual([twice.service.asked.length, never.service.asked.length], [2, 1])
  })
})

describe('errors', () => {
  test('say what the service said', async () => {
    const { billhook } = client([refusal(400, 'invalid_invoice', { 'X-Request-Id': 'r-1' }, 'amount')])
    const { name, message, status, field, requestId } = await failsWith(
      'invalid_invoice',
      billhook.createInvoice(DRAFT),
    )
    assert.deepEqual(
      { name, message, status, field, requestId },
      {
        name: 'BillhookError',
        message: 'Text of invalid_invoice. Field: amount.',
        status: 400,
        field: 'amount',
        requestId: 'r-1',
      },
    )
  })

  test('name an answer that is not of the service', async () => {
    const answers: readonly Scripted[] = [
      { status: 404, body: '<html>' },
      { status: 403, body: { error: 'x' } },
      { status: 200, body: '<html>' },
      { status: 200, body: 'null' },
    ]
    for (const answer of answers) await failsWith('unexpected_answer', client([answer]).billhook.listApiKeys())
  })

  test('name the place that an answer leads to, and where it is not told', async () => {
    const headers = { Location: 'https://login.example/' }
    const led = await failsWith('unexpected_answer', client([{ status: 302, headers }]).billhook.listApiKeys())
    assert.match(led.message, / answered 302 and sends clients to https:\/\/login\.example\/\.$/)
    const fetch = async () => Object.defineProperty(new Response(null), 'status', { value: 0 })
    const hidden = await failsWith('unexpected_answer', new Billhook({ url: URL, fetch }).getInfo())
    assert.match(hidden.message, / answered a redirect and sends clients to another place\.$/)
  })

  test('keep the cause of a connection that failed, and the reason of a signal', async () => {
    const cause = Object.assign(new Error('no'), { code: 'ECONNREFUSED' })
    const lost = new TypeError('fetch failed', { cause })
    const error = await failsWith('unreachable', client([lost]).billhook.revokeApiKey('k'))
    assert.match(error.message, /^https:\/\/pay\.example\/prefix cannot be reached: ECONNREFUSED\.$/)
    assert.equal(error.cause, lost)
    const reason = new Error('the customer left')
    const stopped = client([LOST]).billhook.getInvoice('i', { signal: AbortSignal.abort(reason) })
    await assert.rejects(stopped, reason)
  })
})

describe('waiting', () => {
  const invoice = (status: string, more: object = {}): Scripted => ({
    status: 200,
    body: { payment: { status }, voided_at: null, ...more },
  })

  test('ends when the invoice is paid, and outlives trouble on the way', async () => {
    const script = [invoice('unpaid'), ...Array(5).fill(refusal(502, 'overloaded')), invoice('unpaid'), invoice('paid')]
    const { service, billhook } = client(script)
    const paid = await billhook.waitForPayment('i', { intervalMs: 1 })
    assert.equal(paid.payment.status, 'paid')
    assert.equal(service.asked.length, script.length)
  })

  test('ends when the invoice is accepted, and not with what an older service answers', async () => {
    const { billhook } = client([
      invoice('unpaid'),
      invoice('unpaid', { accepted_at: null }),
      invoice('unpaid', { accepted_at: 5 }),
    ])
    assert.equal((await billhook.waitForPayment('i', { intervalMs: 1 })).accepted_at, 5)
  })

  test('ends when the invoice is void, even if it is paid', async () => {
    const { billhook } = client([invoice('paid', { voided_at: 5 })])
    await failsWith('invoice_void', billhook.waitForPayment('i'))
  })

  test('ends at once when there is no such invoice', async () => {
    await failsWith('invoice_not_found', client([refusal(404, 'invoice_not_found')]).billhook.waitForPayment('i'))
  })

  test('ends with a refusal that will not pass', async () => {
    const { billhook } = client([invoice('unpaid'), refusal(404, 'invoice_not_found')])
    await failsWith('invoice_not_found', billhook.waitForPayment('i', { intervalMs: 1 }))
  })

  test('ends at its time, and with its signal', async () => {
    const script = Array(1000).fill(invoice('unpaid'))
    await failsWith('wait_timeout', client(script).billhook.waitForPayment('i', { intervalMs: 5, timeoutMs: 20 }))
    const stop = new AbortController()
    const waiting = client(script).billhook.waitForPayment('i', { signal: stop.signal })
    const reason = new Error('the customer left')
    setTimeout(() => stop.abort(reason), 5)
    await assert.rejects(waiting, reason)
  })

  test('for a wallet ends when it has its address', async () => {
    const wallets = (...list: object[]): Scripted => ({ status: 200, body: list })
    const { billhook } = client([wallets(), wallets({ id: 'w', address: null }), wallets({ id: 'w', address: 'a' })])
    assert.deepEqual(await billhook.waitForWallet('w', { intervalMs: 1 }), { id: 'w', address: 'a' })
  })

  test('for an identity ends when the service knows it, and not while it cannot tell', async () => {
    const answers = (exists: boolean): Scripted => ({ status: 200, body: { exists } })
    const unknown = Array(4).fill(refusal(503, 'ledger_unreachable'))
    const { billhook, service } = client([answers(false), ...unknown, answers(false), answers(true)])
    await billhook.waitForIdentity({ intervalMs: 1 })
    assert.equal(service.asked.length, 7)
    await failsWith(
      'wait_timeout',
      client(Array(1000).fill(answers(false))).billhook.waitForIdentity({ intervalMs: 5, timeoutMs: 20 }),
    )
  })
})

describe('lists', () => {
  test('are read page by page, and no further than they are used', async () => {
    const page = (ids: readonly string[], cursor?: string): Scripted => ({
      status: 200,
      body: ids.map((id) => ({ id })),
      headers:
        cursor === undefined ? {} : { Link: `</prefix/api/users/x/invoices?limit=2&cursor=${cursor}>; rel="next"` },
    })
    const script = [page(['a', 'b'], 'c%20d'), page(['c'])]
    const all = client(script)
    const ids: string[] = []
    for await (const { id } of all.billhook.listInvoices({ pageSize: 2 })) ids.push(id)
    assert.deepEqual(ids, ['a', 'b', 'c'])
    assert.match(all.service.asked[1]?.url ?? '', /\?include=payment&limit=2&cursor=c\+d$/)
    const first = client(script)
    for await (const { id } of first.billhook.listInvoices()) if (id === 'b') break
    assert.equal(first.service.asked.length, 1)
  })
})
