import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { OwnerEvent } from '../../src/domain/event.js'
import { NO_ORDER_FIELDS } from '../../src/domain/order-fields.js'
import { eventColumns } from '../../src/listing/events.js'
import { until } from '../service/watched-chain.js'
import { Shop } from './shop.js'

const OTHER = 'many'
function typesOf(events: readonly OwnerEvent[]): readonly string[] {
  return events.map(({ type }) => type)
}

/** The service answers with no more events at once. */
const PAGE = 1000

describe('billhook events list', () => {
  let shop: Shop

  before(async () => {
    shop = await Shop.open()
    const id = await shop.invoice('25', '--reference', 'order-1')
    const { status } = await shop.service.post('/sandbox/deposits', { invoiceId: id, kind: 'confirmed', txHash: 'tx' })
    assert.equal(status, 200)
    // That an invoice is paid which the deposit did not match may be noted in a later commit.
    await until(async () =>
      typesOf((await shop.service.get(`/api/users/${shop.owner}/events`)).json).includes('invoice.paid'),
    )
  })

  after(() => shop.close())

  const list = async (owner: string, ...more: readonly string[]) => {
    const { code, stdout, stderr } = await shop.run(['events', 'list', '--owner', owner, ...more])
    assert.deepEqual([code, stderr], [0, ''])
    return stdout.split('\n').slice(0, -1)
  }
  const events = async (...flags: Parameters<typeof list>) =>
    (await list(...flags, '--json')).map((line) => JSON.parse(line) as OwnerEvent)

  test('prints the events of the API, through the data directory and through the network', async () => {
    const { data, owner, service } = shop
    const { json } = await service.get(`/api/users/${owner}/events`)
    const types = ['invoice.created', 'deposit.pending', 'deposit.confirmed', 'invoice.paid']
    assert.deepEqual(typesOf(json), types)
    assert.deepEqual(await events(owner, '--data', data), json)
    assert.deepEqual(await events(owner, '--url', service.url), json)
    assert.deepEqual(await events('nobody', '--data', data), [])
  })

  test('prints lines with tabs in a pipe', async () => {
    const { data, owner, service } = shop
    const [created] = await events(owner, '--data', data)
    const [head, ...rows] = await list(owner, '--data', data)
    assert.equal(head, 'at\ttype\tinvoice\treference\tdetails\tid')
    assert.deepEqual(rows[0]?.split('\t').slice(1), [
      ...['invoice.created', created?.invoiceId, 'order-1', '-', created?.id],
    ])
    assert.equal(rows[2]?.split('\t')[4], '25 native on TRX-NILE, tx 0')
    assert.deepEqual(await list(owner, '--url', service.url), [head, ...rows])
    assert.deepEqual(await list('nobody', '--data', data), [head])
  })

  test('goes through all pages, begins behind a cursor and stops at the limit', async () => {
    const { data, service } = shop
    const address = '0x52908400098527886E0F7030069857D2E4169EE7'
    await service.assign(OTHER, { id: 'wallet-many', address, network: 'SEP' })
    const terms = { owner: OTHER, walletIds: ['wallet-many'], name: 'n' }
    const amounts = Array.from({ length: PAGE + 1 }, (_, at) => String(at + 1))
    await Promise.all(amounts.map((amount) => service.post('/api/invoices', { ...terms, amount })))
    const all = await events(OTHER, '--data', data)
    assert.equal(new Set(all.map(({ invoiceId }) => invoiceId)).size, PAGE + 1)
    assert.deepEqual(await events(OTHER, '--data', data, '--limit', `${PAGE + 1}`), all)
    assert.deepEqual(await events(OTHER, '--data', data, '--limit', '2'), all.slice(0, 2))
    const cursor = all[1]?.id ?? ''
    assert.deepEqual(await events(OTHER, '--url', service.url, '--after', cursor), all.slice(2))
  })

  test('needs an identity, and a cursor and a limit that can be', async () => {
    const { data, owner } = shop
    const missing = await shop.run(['events', 'list', '--data', data, '--limit', '0'])
    assert.equal(missing.code, 2)
    assert.match(missing.stderr, /^--limit must be an integer from 1 to .*\nThe identity is missing: .*\n$/)
    const { code, stdout, stderr } = await shop.run([
      ...['events', 'list', '--data', data, '--owner', owner, '--after', 'yesterday'],
    ])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /\(invalid_query\)/)
  })
})

test('the details of an event tell of a deposit in the terms of invoices, and of a webhook that failed', () => {
  const deposit = { network: 'SEP', txHash: 'tx', index: 7, toAddress: '0x0', receivedAt: 1 } as const
  const event: OwnerEvent = {
    ...{ id: '0'.repeat(16), type: 'deposit.pending', at: 0, invoiceId: null, reference: null },
    ...{ deposit: null, delivery: null, ...NO_ORDER_FIELDS },
  }
  const details = eventColumns({ SEP: { native: 18, USDT: 6 }, 'TRX-NILE': { native: 6, USDT: 6 } }).details.of
  for (const [currency, amount, told] of [
    ['Tether', '25000000', '25 USDT'],
    ['Dust', '5', '5 Dust'],
    [null, '5', '5 native'],
  ] as const) {
    assert.equal(details({ ...event, deposit: { ...deposit, currency, amount } }), `${told} on SEP, tx 7`)
  }
  const failed = {
    id: 'w',
    status: 'confirmed',
    attempt: 3,
    httpStatus: null,
    failure: 'timeout',
    event: null,
  } as const
  assert.equal(details({ ...event, delivery: failed }), 'confirmed, attempt 3: timeout, w')
  const answered = { ...failed, httpStatus: 500, failure: null }
  assert.equal(details({ ...event, delivery: answered }), 'confirmed, attempt 3: status 500, w')
  const ofEvent = { ...answered, status: null, event: { id: '0'.repeat(16), type: 'invoice.paid' } } as const
  assert.equal(details({ ...event, delivery: ofEvent }), 'invoice.paid, attempt 3: status 500, w')
})
