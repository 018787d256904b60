import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { openReceiver, type ReceivedRequest, type Receiver } from '../../support/receiver.js'
import { assertRefused, ServiceFixture } from '../../support/service-fixture.js'

const OWNER = 'shop'
const PATH = `/api/users/${OWNER}/webhook`
const BAD_OVERLAP = [400, 'overlapSeconds must be an integer from 0 to 604800.', 'invalid_overlap'] as const
const BAD_PAYLOAD = [400, "payload must be 'specified', 'with-invoice' or 'events'.", 'invalid_payload'] as const
const BAD_BODY = [400, 'The request body must be a JSON object in valid UTF-8.', 'invalid_json'] as const

let fixture: ServiceFixture
let receiver: Receiver
let paid = 0

before(async () => {
  fixture = await ServiceFixture.start()
  receiver = await openReceiver()
})
after(async () => {
  await fixture.stop()
  await receiver.close()
})
beforeEach(async () => {
  await fixture.call('DELETE', PATH)
})

function put(body: Readonly<Record<string, unknown>> = {}) {
  return fixture.call('PUT', PATH, { body: { callbackUrl: `${receiver.url}/hook`, ...body } })
}

/** Lets a deposit to a wallet of its own be notified, and answers the request that the receiver got. */
async function notify(): Promise<ReceivedRequest> {
  paid += 1
  const wanted = receiver.requests.length + 1
  const amount = `${paid}`
  const wallet = { id: `w${paid}`, address: `0x${amount.padStart(40, '0')}`, network: 'SEP' }
  await fixture.assign(OWNER, wallet)
  const invoice = { owner: OWNER, walletIds: [wallet.id], name: 'n', amount, reference: `order ${amount}` }
  assert.equal((await fixture.post('/api/invoices', invoice)).status, 201)
  const deposit = { network: 'SEP', txHash: `0x${paid}`, toAddress: wallet.address, currency: null, amount }
  await fixture.push({
    id: amount,
    type: 'deposit.confirmed',
    deposit: { ...deposit, receivedAt: Date.now() + 1000 },
  })
  // Both notifications; the last one is of interest.
  await receiver.received(wanted + 1)
  return receiver.requests.at(-1) ?? assert.fail()
}

function signaturesOf({ headers, body }: ReceivedRequest, secret: string) {
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return {
    service: createHmac('sha256', secret).update(body).digest('hex'),
    standard: `v1,${createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest('base64')}`,
  }
}

describe('POST /api/users/:id/webhook/rotate', () => {
  test('answers the record with a new secret; until the overlap ends both sign', async () => {
    const before = (await put()).json
    const reply = await fixture.post(`${PATH}/rotate`, { overlapSeconds: 3600 })
    assert.equal(reply.status, 200)
    const { secret, updated_at } = reply.json
    assert.notEqual(secret, before.secret)
    assert.deepEqual(reply.json, { ...before, secret, updated_at })
    assert.deepEqual((await fixture.get(PATH)).json, reply.json)
    const request = await notify()
    const [old, young] = [signaturesOf(request, before.secret), signaturesOf(request, secret)]
    assert.equal(request.headers['x-service-signature'], old.service)
    assert.equal(request.headers['webhook-signature'], `${young.standard} ${old.standard}`)
  })

  test('without an overlap lets only the new secret sign', async () => {
    await put()
    const { secret } = (await fixture.post(`${PATH}/rotate`, { overlapSeconds: 0 })).json
    const request = await notify()
    const { service, standard } = signaturesOf(request, secret)
    assert.equal(request.headers['x-service-signature'], service)
    assert.equal(request.headers['webhook-signature'], standard)
  })

  for (const [what, body] of [
    ['no body', ''],
    ['an empty object', '{}'],
    ['null', '{"overlapSeconds": null}'],
    ['a week', '{"overlapSeconds": 604800}'],
  ] as const) {
    test(`takes ${what}, and overlaps`, async () => {
      const before = (await put()).json
      const { secret } = (await fixture.post(`${PATH}/rotate`, body)).json
      const request = await notify()
      assert.equal(request.headers['x-service-signature'], signaturesOf(request, before.secret).service)
      assert.ok(String(request.headers['webhook-signature']).includes(signaturesOf(request, secret).standard))
    })
  }

  for (const overlapSeconds of [-1, 604_801, 0.5, '60', true, {}, []]) {
    test(`refuses ${JSON.stringify(overlapSeconds)} and changes nothing`, async () => {
      const before = (await put()).json
      const reply = await fixture.post(`${PATH}/rotate`, { overlapSeconds })
      assertRefused(reply, ...BAD_OVERLAP, 'overlapSeconds')
      assert.deepEqual((await fixture.get(PATH)).json, before)
    })
  }

  test('refuses a body that is none, and an identity that is none', async () => {
    assertRefused(await fixture.post(`${PATH}/rotate`, '[]'), ...BAD_BODY)
    assert.equal((await fixture.post('/api/users/%20/webhook/rotate', {})).json.code, 'invalid_identity')
  })

  test('makes the first secret of an owner who has none', async () => {
    const reply = await fixture.post('/api/users/nobody yet/webhook/rotate'.replaceAll(' ', '%20'), {})
    assert.equal(reply.status, 200)
    assert.match(reply.json.secret, /^[0-9a-f]{64}$/)
    assert.equal(reply.json.callback_url, null)
  })
})

describe('the payload of PUT /api/users/:id/webhook', () => {
  test('with-invoice appends how it stands with the invoice, and is shown; specified is not', async () => {
    const reply = await put({ payload: 'with-invoice' })
    assert.equal(reply.json.payload, 'with-invoice')
    assert.deepEqual((await put()).json.payload, 'with-invoice')
    assert.deepEqual((await fixture.get(PATH)).json.payload, 'with-invoice')
    const body = JSON.parse((await notify()).body.toString())
    const amount = `${paid}`
    assert.deepEqual(body.invoice, {
      amount,
      currency: 'native',
      status: 'paid',
      received: amount,
      pending: '0',
      remaining: '0',
      overpaid: '0',
      returnUrl: null,
      orderNumber: null,
      metadata: null,
    })
    assert.deepEqual(Object.keys((await put({ payload: 'specified' })).json), [
      'owner',
      'callback_url',
      'secret',
      'created_at',
      'updated_at',
    ])
    assert.equal('invoice' in JSON.parse((await notify()).body.toString()), false)
  })

  for (const payload of ['', 'with_invoice', 'SPECIFIED', 5, true, {}, ['specified']]) {
    test(`refuses ${JSON.stringify(payload)} and changes nothing`, async () => {
      const before = (await put()).json
      assertRefused(await put({ callbackUrl: 'https://other.example/', payload }), ...BAD_PAYLOAD, 'payload')
      assert.deepEqual((await fixture.get(PATH)).json, before)
    })
  }
})
