import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { refuse } from '../../../src/domain/failure.js'
import { NO_ORDER_FIELDS } from '../../../src/domain/order-fields.js'
import { eventHandlers } from '../../../src/http/routes/events.js'
import { ServiceFixture } from '../../support/service-fixture.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { callRoute } from './call-route.js'

const OWNER = 'shop & co'
const LIST = `/api/users/${encodeURIComponent(OWNER)}/events`
const WALLET = { id: 'w', address: '0xaBcd000000000000000000000000000000000001', network: 'SEP' }

describe('GET /api/users/:id/events', () => {
  let fixture: ServiceFixture
  before(async () => {
    fixture = await ServiceFixture.start()
    await fixture.assign(OWNER, WALLET)
    for (const amount of ['1', '2', '3']) await create({ amount })
  })
  after(() => fixture.stop())

  const create = async (fields: object) => {
    const body = { owner: OWNER, walletIds: [WALLET.id], name: 'n', ...fields }
    const reply = await fixture.post('/api/invoices', body)
    assert.equal(reply.status, 201, reply.text)
    return reply.json.id as string
  }

  test('tells what happened, oldest first, in fields that are always there', async () => {
    const id = await create({ amount: '4', reference: 'order 4', callbackUrl: 'http://127.0.0.1:1/' })
    const deposit = { network: 'SEP', txHash: '0x4', index: 0, toAddress: WALLET.address, currency: null, amount: '4' }
    const receivedAt = Date.now() + 1000
    await fixture.push({ id: 'd', type: 'deposit.confirmed', deposit: { ...deposit, receivedAt } })
    let events = (await fixture.get(LIST)).json
    while (events.length < 12) events = (await fixture.get(LIST)).json
    const types = events.map(({ type }: { type: string }) => type)
    assert.deepEqual(types.slice(3, 7), ['invoice.created', 'deposit.pending', 'deposit.confirmed', 'invoice.paid'])
    // One deposit counts for every invoice on the wallet; those beside its own may be told later than its webhooks fail.
    const later = [...Array(3).fill('invoice.paid'), ...Array(2).fill('delivery.failed')]
    assert.deepEqual(types.slice(7).sort(), later.sort())
    const { id: eventId, at, ...rest } = events[5]
    assert.match(eventId, /^[0-9a-f]{16}$/)
    assert.ok(Math.abs(at - Date.now()) < 60_000)
    const about = { invoiceId: id, reference: 'order 4' }
    const shown = { ...deposit, receivedAt }
    assert.deepEqual(rest, { type: 'deposit.confirmed', ...about, deposit: shown, delivery: null, ...NO_ORDER_FIELDS })
    assert.equal(events[6].invoiceId, id)

    for (const { type, delivery, ...event } of events.filter(
      (one: { type: string }) => one.type === 'delivery.failed',
    )) {
      assert.deepEqual([type, delivery.attempt, delivery.failure], ['delivery.failed', 1, 'connection'])
      assert.deepEqual([event.invoiceId, event.reference, event.deposit], [about.invoiceId, about.reference, null])
    }
  })

  test('is read in pages by the id of the last event, or by Link', async () => {
    const all = (await fixture.get(LIST)).json
    const first = await fixture.get(`${LIST}?limit=2`)
    assert.deepEqual(first.json, all.slice(0, 2))
    assert.equal(first.headers.get('link'), `<${LIST}?after=${all[1].id}&limit=2>; rel="next"`)
    const next = await fixture.get(`${LIST}?after=${all[1].id}&limit=1000`)
    assert.deepEqual(next.json, all.slice(2))
    assert.equal(next.headers.get('link'), null)
    assert.deepEqual((await fixture.get(`${LIST}?after=${all.at(-1).id}`)).json, [])
    await create({ amount: '5' })
    const [news, ...others] = (await fixture.get(`${LIST}?after=${all.at(-1).id}`)).json
    assert.deepEqual([news.type, others], ['invoice.created', []])
  })

  test('ends a page early where its events are large, and goes on behind it', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}`, 'v'.repeat(500)]))
    const before = (await fixture.get(`${LIST}?limit=1000`)).json.length
    for (let n = 0; n < 130; n += 1) await create({ amount: `${1000 + n}`, metadata })
    const first = await fixture.get(`${LIST}?limit=1000`)
    assert.ok(first.json.length < before + 130 && first.text.length < 1_100_000)
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await fixture.get(next)
    assert.deepEqual([first.json.length + second.json.length, second.headers.get('link')], [before + 130, null])
  })

  test('is empty for an identity to which nothing happened, whatever the cursor', async () => {
    assert.deepEqual((await fixture.get('/api/users/nobody/events')).json, [])
    assert.deepEqual((await fixture.get(`/api/users/nobody/events?after=${'f'.repeat(16)}`)).json, [])
    assert.deepEqual((await fixture.get(`${LIST}?after=${'f'.repeat(16)}`)).json, [])
  })

  for (const [field, value] of [
    ...['', '0', '-1', '1.5', '1001', 'ten'].map((limit) => ['limit', limit] as const),
    ...['', 'x', 'F'.repeat(16), '0'.repeat(15), '0'.repeat(32), '../0'].map((cursor) => ['after', cursor] as const),
    ['cursor', '0'.repeat(16)] as const,
  ]) {
    test(`refuses ${field}=${value}`, async () => {
      const reply = await fixture.get(`${LIST}?${field}=${encodeURIComponent(value)}`)
      assert.deepEqual([reply.status, reply.json.code, reply.json.field], [400, 'invalid_query', field])
    })
  }

  test('says when events behind the cursor are gone', async () => {
    const gone = eventHandlers({
      events: { page: () => refuse('events_removed') },
      lists: unlimitedLists(),
      basePath: '',
    })
    const { status, body } = await callRoute(gone, 'GET', LIST, { query: `after=${'0'.repeat(16)}` })
    const error = 'Events after this cursor have been removed.'
    assert.deepEqual([status, body], [410, { error, code: 'events_removed' }])
  })
})
