import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receiveEvent, type Shop } from '../../examples/snippets/typescript/receive-events.js'
import { openReceiver } from '../support/receiver.js'
import { ServiceFixture } from '../support/service-fixture.js'

const OWNER = 'shop'
const WALLET = { id: 'w', address: '0xaBcd000000000000000000000000000000000001', network: 'SEP' }
const OTHER = { id: 'other', address: '0x0000000000000000000000000000000000000002', network: 'SEP' }
const HOUR_MS = 3_600_000

/** A shop in memory. */
class MemoryShop implements Shop {
  readonly known = new Set<string>()
  readonly did: string[] = []

  isKnown = (eventId: string) => this.known.has(eventId)
  remember = (eventId: string) => void this.known.add(eventId)
  ship = (reference: string) => void this.did.push(`ship ${reference}`)
  hold = (reference: string) => void this.did.push(`hold ${reference}`)
  release = (reference: string) => void this.did.push(`release ${reference}`)
  note = (reference: string, text: string) => void this.did.push(`${reference}: ${text}`)
}

test('a receiver of events hears of payments and expiries without adding up, and of nothing twice', async () => {
  let skewMs = 0
  const clock = { now: () => Date.now() + skewMs }
  const fixture = await ServiceFixture.start({}, undefined, clock)
  const shop = new MemoryShop()
  let secret = ''
  const answers: number[] = []
  const receiver = await openReceiver(({ body, headers }, response) => {
    const status = receiveEvent(body, String(headers['x-service-signature']), secret, shop)
    answers.push(status)
    response.writeHead(status).end()
  })
  try {
    await fixture.assign(OWNER, WALLET, OTHER)
    const body = { callbackUrl: receiver.url, payload: 'events' }
    secret = (await fixture.call('PUT', `/api/users/${OWNER}/webhook`, { body })).json.secret
    await fixture.post(`/api/users/${OWNER}/webhook/test`, {})
    const create = async (reference: string, wallet: string, amount: string, expiresInSeconds: number) => {
      const order = { owner: OWNER, walletIds: [wallet], name: 'Order', currency: 'USDT' }
      const reply = await fixture.post('/api/invoices', { ...order, reference, amount, expiresInSeconds })
      assert.equal(reply.status, 201, reply.text)
      return reply.json.id
    }
    await create('paid later', WALLET.id, '30', 7200)
    await create('forgotten', OTHER.id, '20', 60)
    const deposit = (txHash: string, amount: string) => {
      const received = { toAddress: WALLET.address, currency: 'Tether', amount, receivedAt: clock.now() + 1000 }
      return { network: 'SEP', txHash, ...received }
    }
    // Part of it: the shop adds nothing up.
    await fixture.push({ id: '1', type: 'deposit.confirmed', deposit: deposit('0x1', '10000000') })
    await receiver.received(5)
    await fixture.push({ id: '2', type: 'deposit.confirmed', deposit: deposit('0x2', '20000000') })
    await receiver.received(8)
    skewMs = HOUR_MS
    await receiver.received(9)
    assert.deepEqual(shop.did, [
      ...['pending', 'confirmed'].map((kind) => `paid later: deposit.${kind} 0x1`),
      ...['pending', 'confirmed'].map((kind) => `paid later: deposit.${kind} 0x2`),
      'ship paid later',
      'release forgotten',
    ])
    assert.deepEqual(new Set(answers), new Set([204]))
    const short = await create('a little short', OTHER.id, '40', 7200)
    await fixture.post(`/api/invoices/${short}/accept`, { owner: OWNER })
    await receiver.received(11)
    assert.equal(shop.did.at(-1), 'ship a little short')
    const { json: deliveries } = await fixture.get(`/api/users/${OWNER}/webhook/deliveries`)
    const paid = deliveries.find(({ event }: { event: { type: string } }) => event.type === 'invoice.paid')
    const { length } = shop.did
    await fixture.post(`/api/users/${OWNER}/webhook/deliveries/${paid.id}/redeliver`, {})
    await receiver.received(12)
    assert.equal(shop.did.length, length)
    const last = receiver.requests.at(-1) ?? assert.fail()
    assert.equal(receiveEvent(Buffer.concat([last.body, Buffer.of(32)]), '0'.repeat(64), secret, shop), 401)
    assert.equal(receiveEvent(last.body, 'ü', secret, shop), 401)
  } finally {
    await fixture.stop()
    await receiver.close()
  }
})
