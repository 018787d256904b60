import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { judgeWebhook } from '@billhook/client'
import { EVENT_TYPES } from '../../src/domain/event.js'
import { openReceiver, type ReceivedRequest, type Receiver } from '../support/receiver.js'
import { ServiceFixture } from '../support/service-fixture.js'

const WALLET = { id: 'w', address: '0xaBcd000000000000000000000000000000000001', network: 'SEP' }
const OWNER = 'shop'
const WEBHOOK = `/api/users/${OWNER}/webhook`

let fixture: ServiceFixture
let receiver: Receiver
/** What the receiver answers. */
let status = 204

before(async () => {
  fixture = await ServiceFixture.start({ BILLHOOK_WEBHOOK_ATTEMPTS: '1' })
  receiver = await openReceiver((_request, response) => response.writeHead(status).end())
  await fixture.assign(OWNER, WALLET)
})
after(async () => {
  await fixture.stop()
  await receiver.close()
})

function put(more: Readonly<Record<string, unknown>>) {
  return fixture.call('PUT', WEBHOOK, { body: { callbackUrl: `${receiver.url}/hook`, ...more } })
}

async function create(amount: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const body = { owner: OWNER, walletIds: [WALLET.id], name: 'Order', amount, currency: 'USDT', ...more }
  const reply = await fixture.post('/api/invoices', body)
  assert.equal(reply.status, 201, reply.text)
  return reply.json.id
}

function deposit(txHash: string, amount: string) {
  const received = { toAddress: WALLET.address, currency: 'Tether', amount, receivedAt: Date.now() + 1000 }
  return { network: 'SEP', txHash, ...received }
}

const bodyOf = ({ body }: ReceivedRequest) => JSON.parse(body.toString())

/** What is sent from now on. */
function next(count: number): Promise<readonly ReceivedRequest[]> {
  const was = receiver.requests.length
  return receiver.received(was + count).then(() => receiver.requests.slice(was, was + count))
}

describe('the payload events', () => {
  test('is shown with its types, kept, and refused by the field that is wrong', async () => {
    const all = await put({ payload: 'events' })
    assert.deepEqual([all.json.payload, all.json.types], ['events', EVENT_TYPES])
    const chosen = await put({ types: ['invoice.paid', 'deposit.confirmed'] })
    assert.deepEqual(chosen.json.types, ['invoice.paid', 'deposit.confirmed'])
    assert.deepEqual((await put({ types: null })).json, {
      ...chosen.json,
      updated_at: (await fixture.get(WEBHOOK)).json.updated_at,
    })
    for (const types of [
      [],
      'invoice.paid',
      ['invoice.lost'],
      ['invoice.paid', 'invoice.paid'],
      [1],
      {},
      [...EVENT_TYPES, 'x'],
    ]) {
      const refused = await put({ types })
      assert.deepEqual([refused.status, refused.json.code, refused.json.field], [400, 'invalid_types', 'types'])
    }
    const wrong = await put({ payload: 'event' })
    assert.deepEqual([wrong.status, wrong.json.code, wrong.json.field], [400, 'invalid_payload', 'payload'])
    assert.deepEqual((await fixture.get(WEBHOOK)).json.types, ['invoice.paid', 'deposit.confirmed'])
  })

  test('sends what happens, signed both ways, in place of deposits in the specified fields', async () => {
    await put({ payload: 'events', types: EVENT_TYPES })
    const arriving = next(4)
    const invoiceId = await create('10', { reference: 'order 1' })
    const paid = deposit('0x1', '10000000')
    await fixture.push({ id: 'e1', type: 'deposit.pending', deposit: paid })
    await fixture.push({ id: 'e2', type: 'deposit.confirmed', deposit: paid })
    const requests = await arriving
    const { json: log } = await fixture.get(`/api/users/${OWNER}/events`)
    assert.deepEqual(
      requests.map(bodyOf),
      // biome-ignore lint/suspicious/noExplicitAny: events as the API shows them.
      log.map(({ id, type, at, ...data }: any) => ({ id, type, at, data })),
    )
    assert.deepEqual(
      requests.map((request) => bodyOf(request).type),
      ['invoice.created', 'deposit.pending', 'deposit.confirmed', 'invoice.paid'],
    )
    const { secret } = (await fixture.get(WEBHOOK)).json
    for (const { body, headers } of requests) {
      assert.equal(headers['x-service-signature'], createHmac('sha256', secret).update(body).digest('hex'))
      assert.equal(judgeWebhook(body, headers, secret).flaw, null)
    }
    const { json: deliveries } = await fixture.get(`${WEBHOOK}/deliveries?limit=2`)
    const [paying, confirming] = deliveries
    const named = { invoiceId, reference: 'order 1', status: null }
    assert.deepEqual(named, { invoiceId: paying.invoiceId, reference: paying.reference, status: paying.status })
    assert.deepEqual([paying.event, paying.txHash], [{ id: log[3].id, type: 'invoice.paid' }, null])
    assert.deepEqual([confirming.event.type, confirming.txHash], ['deposit.confirmed', '0x1'])
  })

  test('has a failed delivery told, once, and sent again on demand', async () => {
    await put({ payload: 'events', types: EVENT_TYPES })
    status = 500
    const arriving = next(2)
    await create('11')
    const [created, failed] = (await arriving).map(bodyOf)
    assert.deepEqual([created.type, failed.type], ['invoice.created', 'delivery.failed'])
    assert.deepEqual(failed.data.delivery.event, { id: created.id, type: 'invoice.created' })
    const failures = async () => {
      const { json: log } = await fixture.get(`/api/users/${OWNER}/events?limit=1000`)
      return log.filter(({ type }: { readonly type: string }) => type === 'delivery.failed')
    }
    let told = await failures()
    for (let looks = 0; told.length < 2; looks += 1) {
      assert.ok(looks < 1000, 'the second failure is not told')
      told = await failures()
    }
    status = 204
    const again = next(1)
    const { json: list } = await fixture.get(`${WEBHOOK}/deliveries?limit=2`)
    assert.equal((await fixture.post(`${WEBHOOK}/deliveries/${list[1].id}/redeliver`, {})).status, 200)
    assert.deepEqual(bodyOf((await again)[0] ?? assert.fail()), created)
    assert.equal(receiver.requests.map(bodyOf).filter(({ type }) => type === 'delivery.failed').length, 1)
  })

  test('sends a test that is an event of a chosen type', async () => {
    for (const [types, expected] of [
      [EVENT_TYPES, 'invoice.paid'],
      [['deposit.pending', 'deposit.dropped'], 'deposit.pending'],
      [['delivery.failed'], 'delivery.failed'],
    ] as const) {
      await put({ payload: 'events', types })
      const arriving = next(1)
      const answer = await fixture.post(`${WEBHOOK}/test`, {})
      assert.deepEqual([answer.status, answer.json.state], [200, 'delivered'])
      const body = bodyOf((await arriving)[0] ?? assert.fail())
      assert.deepEqual(Object.keys(body), ['id', 'type', 'at', 'data', 'test'])
      assert.deepEqual(Object.keys(body.data), [
        'invoiceId',
        'reference',
        'deposit',
        'delivery',
        'returnUrl',
        'orderNumber',
        'metadata',
      ])
      assert.equal(body.type, expected)
      assert.equal(body.data.deposit !== null, expected.startsWith('deposit.'))
      assert.equal(body.data.delivery !== null, expected === 'delivery.failed')
    }
  })

  test('delays nobody else’s events where a receiver hangs', async () => {
    const slow = { id: 'w-slow', address: '0x0000000000000000000000000000000000000003', network: 'SEP' }
    await fixture.assign('slow', slow)
    const hanging = await openReceiver(() => {})
    try {
      const body = { callbackUrl: hanging.url, payload: 'events' }
      await fixture.call('PUT', '/api/users/slow/webhook', { body })
      for (let amount = 1; amount <= 150; amount += 1) {
        const invoice = { owner: 'slow', walletIds: [slow.id], name: 'Order', amount: `${amount}`, currency: 'USDT' }
        assert.equal((await fixture.post('/api/invoices', invoice)).status, 201)
      }
      await hanging.received(1)
      await put({ payload: 'events', types: ['invoice.created'] })
      const arriving = next(20)
      for (let amount = 1; amount <= 20; amount += 1) await create(`100.${100 + amount}`)
      await arriving
      assert.ok(hanging.peak <= 2, `${hanging.peak} attempts hang`)
    } finally {
      await hanging.close()
    }
  })

  test('ends with the choice of another payload', async () => {
    await put({ payload: 'events', types: EVENT_TYPES })
    await put({ payload: 'specified' })
    const arriving = next(1)
    await create('12', { reference: 'order 12' })
    await fixture.push({ id: 'e12', type: 'deposit.pending', deposit: deposit('0x12', '12000000') })
    const body = bodyOf((await arriving)[0] ?? assert.fail())
    assert.deepEqual([body.reference, body.status, body.type], ['order 12', 'pending', undefined])
    const { json } = await fixture.get(WEBHOOK)
    assert.deepEqual(['payload' in json, 'types' in json], [false, false])
  })
})
