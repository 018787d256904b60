import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Reply, ServiceFixture } from '../../support/service-fixture.js'
import { signRequest, type TestKey, testKey } from '../../support/signing.js'

const OWNER = 'merchant'
const KEY = testKey('merchant')
const STRANGER = testKey('stranger')
const WEAK = testKey('weak')
const SEP = { id: 'sep-wallet', address: '0xabcd000000000000000000000000000000000001', network: 'SEP' }
const TAG = 'POST /api/invoices/:id/void'
const ACCEPT_TAG = 'POST /api/invoices/:id/accept'

let fixture: ServiceFixture
let amounts = 0

before(async () => {
  fixture = await ServiceFixture.start()
  await fixture.assign(OWNER, SEP)
  for (const [owner, key, permission] of [
    [OWNER, KEY, 'invoices:create'],
    [OWNER, WEAK, 'payments:send'],
    ['stranger', STRANGER, 'invoices:create'],
  ] as const) {
    assert.equal((await fixture.register(owner, key, { permissions: [permission] })).status, 201)
  }
})
after(() => fixture.stop())

async function newInvoice(more: object = {}): Promise<{ readonly id: string; readonly amount: string }> {
  amounts += 1
  const amount = `${amounts}.5`
  const reply = await fixture.post('/api/invoices', {
    owner: OWNER,
    walletIds: [SEP.id],
    name: 'Order',
    amount,
    ...more,
  })
  assert.equal(reply.status, 201, reply.text)
  return { id: reply.json.id, amount }
}

function voidSigned(id: string, key: TestKey, body = '', tag = TAG): Promise<Reply> {
  return endSigned('void', id, key, body, tag)
}

function acceptSigned(id: string, key: TestKey, body = '', tag = ACCEPT_TAG): Promise<Reply> {
  return endSigned('accept', id, key, body, tag)
}

function endSigned(how: 'void' | 'accept', id: string, key: TestKey, body: string, tag: string): Promise<Reply> {
  const timestamp = String(Date.now())
  return fixture.call('POST', `/api/invoices/${id}/${how}`, {
    ...(body === '' ? {} : { body }),
    headers: {
      'X-Service-Api-Key': key.publicKeyHex,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': signRequest(key, tag, timestamp, body),
    },
  })
}

const codeOf = (reply: Reply) => [reply.status, reply.json.code]

describe('POST /api/invoices/:id/void', () => {
  for (const body of ['', '{}', '{"owner":"somebody else"}']) {
    test(`voids for the owner of the key that signed, with the body ${JSON.stringify(body)}`, async () => {
      const { id, amount } = await newInvoice()
      const reply = await voidSigned(id, KEY, body)
      assert.equal(reply.status, 200, reply.text)
      assert.ok(Math.abs(Date.now() - reply.json.voided_at) < 60_000)
      assert.deepEqual(reply.json, (await fixture.get(`/api/invoices/${id}`)).json)
      assert.deepEqual(await (await voidSigned(id, KEY)).json, reply.json)
      const again = { owner: OWNER, walletIds: [SEP.id], name: 'Order', amount }
      assert.equal((await fixture.post('/api/invoices', again)).status, 201)
    })
  }

  test('voids for the owner in the body on the unsigned path', async () => {
    const { id } = await newInvoice()
    const path = `/api/invoices/${id}/void`
    assert.deepEqual(codeOf(await fixture.post(path, {})), [400, 'owner_required'])
    assert.deepEqual(codeOf(await fixture.post(path, { owner: 7 })), [400, 'owner_required'])
    assert.deepEqual(codeOf(await fixture.post(path, 'no json')), [400, 'invalid_json'])
    assert.deepEqual(codeOf(await fixture.post(path, { owner: 'stranger' })), [403, 'not_invoice_owner'])
    assert.equal((await fixture.get(`/api/invoices/${id}`)).json.voided_at, null)
    assert.equal((await fixture.post(path, { owner: OWNER })).status, 200)
  })

  test('is refused to other keys, other permissions, other tags and for what is not there', async () => {
    const { id } = await newInvoice()
    assert.deepEqual(codeOf(await voidSigned(id, STRANGER)), [403, 'not_invoice_owner'])
    assert.deepEqual(codeOf(await voidSigned(id, WEAK)), [401, 'permission_missing'])
    assert.deepEqual(codeOf(await voidSigned(id, KEY, '', 'POST /api/invoices')), [401, 'invalid_signature'])
    assert.deepEqual(codeOf(await voidSigned(id, KEY, '', `POST /api/invoices/${id}/void`)), [401, 'invalid_signature'])
    for (const unknown of ['0'.repeat(32), 'x', '..%2f']) {
      assert.deepEqual(codeOf(await voidSigned(unknown, KEY)), [404, 'invoice_not_found'])
    }
    assert.equal((await fixture.get(`/api/invoices/${id}`)).json.voided_at, null)
  })

  test('is refused while the invoice is paid or being paid', async () => {
    const { id, amount } = await newInvoice()
    const deposit = {
      network: 'SEP',
      txHash: '0xpays',
      toAddress: SEP.address,
      currency: '#native',
      amount,
      receivedAt: Date.now() + 10_000,
    }
    await fixture.push({ id: 'pays', type: 'deposit.pending', deposit })
    assert.deepEqual(codeOf(await voidSigned(id, KEY)), [409, 'invoice_paid'])
    assert.equal((await voidSigned(id, KEY)).json.error, 'This invoice is paid or being paid.')
    await fixture.push({ id: 'gone', type: 'deposit.dropped', deposit })
    assert.equal((await voidSigned(id, KEY)).status, 200)
  })
})

for (const how of ['void', 'accept'] as const) {
  test(`a signed request to ${how} an invoice is refused for a body that is no object`, async () => {
    const { id } = await newInvoice()
    for (const body of ['no json', '"text"', '[]', 'null']) {
      const reply = await endSigned(how, id, KEY, body, how === 'void' ? TAG : ACCEPT_TAG)
      assert.deepEqual(codeOf(reply), [400, 'invalid_json'], body)
    }
    const { voided_at, accepted_at } = (await fixture.get(`/api/invoices/${id}`)).json
    assert.deepEqual([voided_at, accepted_at], [null, null])
  })
}

describe('POST /api/invoices/:id/accept', () => {
  for (const body of ['', '{}', '{"owner":"somebody else"}']) {
    test(`accepts for the owner of the key that signed, with the body ${JSON.stringify(body)}`, async () => {
      const { id, amount } = await newInvoice({ reference: `accepted ${body}` })
      const reply = await acceptSigned(id, KEY, body)
      assert.equal(reply.status, 200, reply.text)
      assert.ok(Math.abs(Date.now() - reply.json.accepted_at) < 60_000)
      assert.equal(reply.json.payment.status, 'unpaid')
      assert.deepEqual(reply.json, (await fixture.get(`/api/invoices/${id}`)).json)
      assert.deepEqual((await acceptSigned(id, KEY)).json, reply.json)
      const again = { owner: OWNER, walletIds: [SEP.id], name: 'Order', amount }
      assert.equal((await fixture.post('/api/invoices', again)).status, 201)
      const listed = async (query: string) =>
        (await fixture.get(`/api/users/${OWNER}/invoices?include=payment&${query}`)).json
      const reference = `reference=${encodeURIComponent(`accepted ${body}`)}`
      assert.deepEqual(await listed(`${reference}&status=paid`), [reply.json])
      assert.deepEqual(await listed(`${reference}&status=unpaid`), [])
      assert.deepEqual(codeOf(await voidSigned(id, KEY)), [409, 'invoice_paid'])
    })
  }

  test('accepts for the owner in the body on the unsigned path, and is refused to everybody else', async () => {
    const { id } = await newInvoice()
    const path = `/api/invoices/${id}/accept`
    assert.deepEqual(codeOf(await fixture.post(path, {})), [400, 'owner_required'])
    assert.deepEqual(codeOf(await fixture.post(path, 'no json')), [400, 'invalid_json'])
    assert.deepEqual(codeOf(await fixture.post(path, { owner: 'stranger' })), [403, 'not_invoice_owner'])
    assert.deepEqual(codeOf(await acceptSigned(id, STRANGER)), [403, 'not_invoice_owner'])
    assert.deepEqual(codeOf(await acceptSigned(id, WEAK)), [401, 'permission_missing'])
    assert.deepEqual(codeOf(await acceptSigned(id, KEY, '', TAG)), [401, 'invalid_signature'])
    assert.deepEqual(codeOf(await acceptSigned('0'.repeat(32), KEY)), [404, 'invoice_not_found'])
    assert.equal((await fixture.get(`/api/invoices/${id}`)).json.accepted_at, null)
    assert.equal((await fixture.post(path, { owner: OWNER })).status, 200)
  })

  test('is refused for what is void, and says so', async () => {
    const { id } = await newInvoice()
    await voidSigned(id, KEY)
    const refused = await acceptSigned(id, KEY)
    assert.deepEqual([refused.status, refused.json], [409, { error: 'This invoice is void.', code: 'invoice_void' }])
  })

  test('shows payers that it is paid, and asks for nothing more', async () => {
    const { id } = await newInvoice()
    assert.match((await fixture.get(`/pay/${id}`)).text, new RegExp(SEP.address))
    assert.equal((await fixture.get(`/pay/${id}/qr/${SEP.id}.svg`)).status, 200)
    await acceptSigned(id, KEY)
    const page = (await fixture.get(`/pay/${id}`)).text
    assert.match(page, /Paid\. Nothing more is due\./)
    assert.ok(!page.includes(SEP.address))
    assert.match(page, /class="receipt"/)
    assert.equal((await fixture.get(`/pay/${id}/qr/${SEP.id}.svg`)).status, 404)
  })
})

describe('expiresInSeconds of POST /api/invoices', () => {
  test('is told as expires_at, also in lists with payments, and nowhere else', async () => {
    const { id } = await newInvoice({ expiresInSeconds: 90 })
    const shown = (await fixture.get(`/api/invoices/${id}`)).json
    assert.equal(shown.expires_at, shown.created_at + 90_000)
    assert.equal(shown.voided_at, null)
    const [listed] = (await fixture.get(`/api/users/${OWNER}/invoices?include=payment&limit=1`)).json
    assert.deepEqual(listed, shown)
    const [plain] = (await fixture.get(`/api/users/${OWNER}/invoices?limit=1`)).json
    const { payment: _, voided_at: __, accepted_at: ___, expires_at: ____, ...others } = shown
    const { returnUrl, orderNumber, metadata, ...record } = others
    assert.deepEqual([returnUrl, orderNumber, metadata], [null, null, null])
    assert.deepEqual(plain, record)
  })

  test('is refused out of bounds', async () => {
    const body = { owner: OWNER, walletIds: [SEP.id], name: 'Order', amount: '9999', expiresInSeconds: 59 }
    const reply = await fixture.post('/api/invoices', body)
    assert.deepEqual(codeOf(reply), [400, 'invalid_expiry'])
    assert.equal(reply.json.error, 'expiresInSeconds must be an integer from 60 to 31536000.')
  })
})
