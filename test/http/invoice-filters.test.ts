import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { EVENT_LOOP, Turns } from '../../src/base/turns.js'
import { type InvoiceFilter, SCANNED_MAX, wantedBy, wantedPage } from '../../src/http/invoice-filters.js'
import type { Piece } from '../../src/http/lists.js'
import type { InvoicePort } from '../../src/store/invoices.js'
import type { InvoiceWithPayment, Page } from '../../src/store/reading.js'
import { assertRefused, type Reply, ServiceFixture } from '../support/service-fixture.js'
import { validAddress } from '../support/valid-address.js'

const ANY = { status: null, currency: null, createdAfter: null, createdBefore: null, orderNumber: null }

/** A list of so many unpaid invoices, newest first; the ones that `isPaid` names are paid. It counts what is read. */
function listOf(length: number, isPaid: (at: number) => boolean = () => false) {
  const all = Array.from({ length }, (_, at): InvoiceWithPayment => {
    const payment = {
      status: isPaid(at) ? 'paid' : 'unpaid',
      received: '0',
      pending: '0',
      remaining: '0',
      overpaid: '0',
      own: '0',
    }
    const invoice = { id: String(at), currency: 'USDT', created_at: length - at }
    return {
      invoice,
      order: { orderNumber: `${at}` },
      payment,
      voidedAt: null,
      acceptedAt: null,
      expiresAt: null,
    } as InvoiceWithPayment
  })
  const state = { read: 0 }
  const read = ({ after: cursor, limit }: Page) => {
    const from = cursor === null ? 0 : Number(cursor) + 1
    const items = all.slice(from, from + limit)
    state.read += items.length
    const isEnd = from + limit >= length
    return { items, next: isEnd ? null : (items.at(-1)?.invoice.id ?? null) }
  }
  return { read, state }
}

const idsOf = ({ text }: Piece): number[] => JSON.parse(`[${text}]`)

/** A page of the wanted invoices, each shown as its number. */
function wanted(read: (page: Page) => ReturnType<InvoicePort['pageWithPayment']>, filter: InvoiceFilter, page: Page) {
  const turns = new Turns({ ...EVENT_LOOP, width: 1 })
  const run = async <T>(piece: Parameters<typeof turns.run<T>>[1]) => await turns.run('owner', piece)
  return wantedPage(run, read, ({ invoice }) => Number(invoice.id), wantedBy(filter), page)
}

describe('a page of wanted invoices', () => {
  test('looks at a bounded number of invoices, and says where the next one goes on', async () => {
    const { read, state } = listOf(10_000)
    const page = await wanted(read, { ...ANY, status: 'paid' }, { after: null, limit: 10 })
    assert.deepEqual([idsOf(page), page.next, state.read], [[], String(SCANNED_MAX - 1), SCANNED_MAX])
  })

  test('ends at its limit, without a next page only at the end of the list', async () => {
    const paid = { ...ANY, status: 'paid' } as const
    for (const [length, limit, expected, next] of [
      [50, 3, [0, 10, 20], '20'],
      [50, 5, [0, 10, 20, 30, 40], '40'],
      [41, 5, [0, 10, 20, 30, 40], null],
      [50, 6, [0, 10, 20, 30, 40], null],
      [0, 6, [], null],
    ] as const) {
      const { read } = listOf(length, (at) => at % 10 === 0)
      const page = await wanted(read, paid, { after: null, limit })
      assert.deepEqual([idsOf(page), page.next], [[...expected], next], `${length} ${limit}`)
    }
  })

  test('leads through the whole list, each wanted invoice once', async () => {
    const { read } = listOf(5432, (at) => at % 1000 === 7)
    const found: number[] = []
    let cursor: string | null = null
    do {
      const page: Piece = await wanted(read, { ...ANY, status: 'paid' }, { after: cursor, limit: 2 })
      found.push(...idsOf(page))
      cursor = page.next
    } while (cursor !== null)
    assert.deepEqual(found, [7, 1007, 2007, 3007, 4007, 5007])
  })

  for (const [filter, expected] of [
    [{ createdAfter: 3 }, [0, 1]],
    [{ createdBefore: 3 }, [3, 4]],
    [{ createdAfter: 1, createdBefore: 5 }, [1, 2, 3]],
    [{ createdAfter: 5 }, []],
    [{ currency: 'USDT' }, [0, 1, 2, 3, 4]],
    [{ currency: 'native' }, []],
    [{ orderNumber: '3' }, [3]],
    [{ orderNumber: '' }, []],
    [{ status: 'unpaid', createdBefore: 2 }, [4]],
  ] as const) {
    test(`of ${JSON.stringify(filter)}`, async () => {
      // Created at 5, 4, 3, 2, 1.
      const page = await wanted(listOf(5).read, { ...ANY, ...filter }, { after: null, limit: 100 })
      assert.deepEqual(idsOf(page), [...expected])
    })
  }
})

describe('GET /api/users/:id/invoices with a filter', () => {
  const owner = 'a filter & co'
  const path = `/api/users/${encodeURIComponent(owner)}/invoices`
  const wallet = { id: 'w-1', address: validAddress('SEP', 'w-1'), network: 'SEP' }
  let fixture: ServiceFixture
  let times: number[]
  const get = (query: string) => fixture.get(`${path}?${query}`)
  const names = ({ json }: Reply) => json.map(({ name }: { name: string }) => name)

  before(async () => {
    fixture = await ServiceFixture.start()
    await fixture.assign(owner, wallet)
    // The first is paid; the last two are in USDT.
    for (let n = 1; n <= 4; n += 1) {
      const body = {
        owner,
        walletIds: ['w-1'],
        name: `${n}`,
        amount: `${n}`,
        reference: `f ${n}`,
        orderNumber: n % 2 === 0 ? 'A/1 &' : 'A',
      }
      const reply = await fixture.post('/api/invoices', n > 2 ? { ...body, currency: 'USDT' } : body)
      assert.equal(reply.status, 201, reply.text)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const deposit = { network: 'SEP', txHash: '0x1', toAddress: wallet.address, currency: null, amount: '1' }
    await fixture.push({ id: 'd', type: 'deposit.confirmed', deposit: { ...deposit, receivedAt: Date.now() + 1000 } })
    times = (await fixture.get(path)).json.map(({ created_at: time }: { created_at: number }) => time).reverse()
  })
  after(() => fixture.stop())

  test('shows the wanted invoices, newest first, as plain records or with their payment', async () => {
    const [, second = 0, third = 0] = times
    for (const [query, expected] of [
      ['status=paid', ['1']],
      ['status=unpaid', ['4', '3', '2']],
      ['currency=native', ['2', '1']],
      ['currency=USDT', ['4', '3']],
      ['status=paid&currency=USDT', []],
      [`createdAfter=${second}`, ['4', '3']],
      [`createdBefore=${third}`, ['2', '1']],
      [`createdAfter=${second}&createdBefore=${third}`, []],
      ['status=unpaid&include=payment', ['4', '3', '2']],
      ['reference=f%201&status=paid', ['1']],
      ['orderNumber=A', ['3', '1']],
      ['orderNumber=A%2F1+%26', ['4', '2']],
      ['orderNumber=A&status=paid', ['1']],
      ['orderNumber=A&currency=USDT&include=payment', ['3']],
      [`orderNumber=A&createdAfter=${second}`, ['3']],
      ['orderNumber=A&reference=f%201', ['1']],
      ['orderNumber=A&reference=f%202', []],
      ['orderNumber=', []],
      ['orderNumber=%25', []],
      ['orderNumber=a', []],
      ['reference=f%201&status=unpaid', []],
    ] as const) {
      const reply = await get(query)
      assert.deepEqual([reply.status, names(reply), reply.headers.get('link')], [200, [...expected], null], query)
      for (const one of reply.json) assert.equal('payment' in one, query.includes('include'), query)
    }
  })

  test('goes on by the Link header, which keeps an order number', async () => {
    const first = await get('orderNumber=A%2F1+%26&limit=1')
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    assert.match(next, /&orderNumber=A%2F1%20%26$/)
    const second = await fixture.get(next)
    assert.deepEqual([names(first), names(second), second.headers.get('link')], [['4'], ['2'], null])
  })

  test('goes on by the Link header, which keeps the filter', async () => {
    const first = await get('status=unpaid&limit=2&include=payment&createdAfter=5')
    assert.deepEqual(names(first), ['4', '3'])
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    assert.match(next, /&include=payment&status=unpaid&createdAfter=5$/)
    const second = await fixture.get(next)
    assert.deepEqual([names(second), second.headers.get('link')], [['2'], null])
  })

  for (const [query, parameter] of [
    ['status=void', 'status'],
    ['status=', 'status'],
    ['currency=usdt', 'currency'],
    ['createdAfter=', 'createdAfter'],
    ['createdAfter=-1', 'createdAfter'],
    ['createdAfter=2026-11-22', 'createdAfter'],
    ['createdBefore=1e3', 'createdBefore'],
    ['createdBefore=1234567890123456', 'createdBefore'],
    ['status=paid&limit=0', 'limit'],
  ] as const) {
    test(`400 for ${query}`, async () => {
      const text = `The query parameter ${parameter} is not valid.`
      assertRefused(await get(query), 400, text, 'invalid_query', parameter)
    })
  }
})
