import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NO_ORDER_FIELDS } from '../../../src/domain/order-fields.js'
import type { Wallet } from '../../../src/domain/wallet.js'
import type { Lists } from '../../../src/http/lists.js'
import { createRouter } from '../../../src/http/router.js'
import { failurePages } from '../../../src/http/routes/failure-pages.js'
import { orderPageHandlers } from '../../../src/http/routes/order-page.js'
import { paymentPageHandlers } from '../../../src/http/routes/pay.js'
import type { Answer, RequestHead } from '../../../src/http/server.js'
import type { Waiting } from '../../../src/page/open-pages.js'
import { orderVersionOf } from '../../../src/page/order-view.js'
import { qrSvg } from '../../../src/page/qr.js'
import type { StraySearch } from '../../../src/store/deposits.js'
import type { OrderWithDeposits } from '../../../src/store/orders.js'
import { PLAIN_PAGES, textOf } from '../../page/frame.js'
import {
  cameIn,
  ETHER_WALLET,
  IN_ETHER,
  IN_USDT,
  MINUTE_MS,
  NILE_WALLET,
  ORDER_ID,
  type OrderOfTest,
  orderView,
  PENDING,
  SEP_WALLET,
} from '../../page/order-fixture.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { pageNetworks } from '../../support/networks.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { headFrom } from '../head-from.js'
import { routesOf } from './call-route.js'

const GONE = { voidedAt: START_MS - MINUTE_MS }
const HALF = { options: [{ ...IN_USDT, deposits: [cameIn('13.59', 1)] }, IN_ETHER] }
const PAID = {
  options: [
    { ...IN_USDT, deposits: [cameIn('27.18', 1)] },
    { ...IN_ETHER, ...GONE },
  ],
}
const SEEN = { options: [{ ...IN_USDT, deposits: [cameIn('27.18', 1, PENDING)] }, IN_ETHER] }
const EXPIRED = {
  order: { expiresAt: START_MS - MINUTE_MS },
  options: [
    { ...IN_USDT, ...GONE },
    { ...IN_ETHER, ...GONE },
  ],
}

const NETWORKS = pageNetworks({
  SEP: { chainId: 11155111, token: '0x7169D38820dfd117C3FA1f22a697dBA58d90BA06' },
  'TRX-NILE': { token: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', walletNodes: ['https://node.example'] },
})

const wallets = new Map<string, Wallet>(
  [SEP_WALLET, NILE_WALLET, ETHER_WALLET].map((wallet) => [
    wallet.id,
    { ...wallet, owner: 'identity-of-the-merchant', assignedAt: 1 },
  ]),
)

/** What the store has of an order. */
function stored(order: OrderOfTest): OrderWithDeposits {
  const view = orderView(order)
  const invoices = view.options.map(({ invoice, own, voidedAt, deposits, hasMoreDeposits }) => ({
    invoice,
    order: NO_ORDER_FIELDS,
    // What others paid to the same wallets.
    payment: { ...own, received: '999', status: 'paid' as const },
    own,
    voidedAt,
    acceptedAt: null,
    expiresAt: view.order.expiresAt,
    orderId: view.order.id,
    deposits,
    hasMoreDeposits,
  }))
  return { order: view.order, invoices, readAt: START_MS }
}

/** The pages over one order. */
function pages(order: OrderOfTest = {}) {
  const waiting: Waiting[] = []
  const charged: string[] = []
  const unlimited = unlimitedLists()
  const searches: StraySearch[] = []
  const found = stored(order)
  const parts = {
    store: {
      invoices: {
        findWithDeposits: (id: string) => found.invoices.find(({ invoice }) => invoice.id === id),
      },
      orders: {
        find: (id: string) => (id === ORDER_ID ? found.order : undefined),
        findWithDeposits: (id: string) => (id === ORDER_ID ? found : undefined),
      },
      wallets: { find: (id: string) => wallets.get(id) },
      deposits: {
        strays: (search: StraySearch) => {
          searches.push(search)
          return [{ network: 'SEP', txHash: '0x9', currency: 'USDC', amount: '7' }]
        },
      },
    },
    lists: {
      charged: (request, answer) => {
        charged.push(request.path)
        return unlimited.charged(request, answer)
      },
    } satisfies Pick<Lists, 'charged'>,
    pages: PLAIN_PAGES,
    networks: NETWORKS,
    openPages: {
      open: (one: Waiting) => {
        waiting.push(one)
        return null
      },
    },
    clientOf: () => ({ key: '192.0.2.1', isLoopback: false }),
    clock: new ManualClock(),
  }
  const resolve = createRouter(routesOf({ ...paymentPageHandlers(parts), ...orderPageHandlers(parts) }), {
    onError: (error) => assert.fail(String(error)),
    present: failurePages(PLAIN_PAGES),
  })
  const get = async (address: string, method = 'GET'): Promise<Answer & { readonly text: string }> => {
    const { pathname, search } = new URL(address, 'http://pay.test')
    const head: RequestHead = { ...headFrom('192.0.2.1'), method, path: pathname, query: search.slice(1) }
    const answer = await resolve(head).handle({ ...head, body: Buffer.alloc(0), aborted: false })
    return { ...answer, text: typeof answer.body === 'string' ? answer.body : '' }
  }
  return { get, waiting, searches, charged, found }
}

describe('GET /order/:id', () => {
  test('shows the option and the wallet that its address asks for, and ignores what else is in it', async () => {
    const { get } = pages()
    const first = await get(`/order/${ORDER_ID}?utm_source=mail`)
    assert.equal(first.status, 200)
    assert.equal(first.headers['Content-Type'], 'text/html; charset=utf-8')
    assert.ok(textOf(first.text).includes(SEP_WALLET.address))
    const second = await get(`/order/${ORDER_ID}?option=2`)
    assert.ok(textOf(second.text).includes(ETHER_WALLET.address))
    assert.equal(textOf(second.text).includes(SEP_WALLET.address), false)
    const network = await get(`/order/${ORDER_ID}?option=1&wallet=1`)
    assert.ok(network.text.includes('value="TRX-NILE" checked'))
    for (const odd of ['0', '3', '-1', '1.5', 'x', '', '999', '%00']) {
      assert.ok(
        textOf((await get(`/order/${ORDER_ID}?option=${odd}&wallet=${odd}`)).text).includes(SEP_WALLET.address),
        odd,
      )
    }
  })

  test('has the discipline of pages, and lets a wallet ask the nodes of the option that it shows', async () => {
    const { get } = pages()
    const { headers } = await get(`/order/${ORDER_ID}`)
    const policy = headers['Content-Security-Policy'] ?? ''
    assert.ok(policy.includes("connect-src 'self' https://node.example;"), policy)
    assert.ok(policy.includes("frame-ancestors 'none'"))
    assert.deepEqual(
      [headers['Cache-Control'], headers['Referrer-Policy'], headers['X-Robots-Tag'], headers['X-Frame-Options']],
      ['no-store', 'no-referrer', 'noindex', 'DENY'],
    )
    const ether = (await get(`/order/${ORDER_ID}?option=2`)).headers['Content-Security-Policy'] ?? ''
    assert.ok(ether.includes("connect-src 'self';"), ether)
    for (const order of [PAID, SEEN, EXPIRED]) {
      const { headers: idle } = await pages(order).get(`/order/${ORDER_ID}`)
      assert.ok(idle['Content-Security-Policy']?.includes("connect-src 'self';"))
    }
  })

  test('answers HEAD like GET, and 404 with a page to every other id', async () => {
    const { get } = pages()
    assert.equal((await get(`/order/${ORDER_ID}`, 'HEAD')).status, 200)
    for (const id of ['0'.repeat(32), 'x', `${ORDER_ID}0`, '__proto__', '%3Cscript%3E']) {
      const { status, text } = await get(`/order/${id}`)
      assert.equal(status, 404)
      assert.ok(text.includes('<h1>Order not found</h1>'))
      assert.equal((await get(`/order/${id}/events`)).status, 404)
      assert.equal((await get(`/order/${id}/qr/sep.svg`)).status, 404)
    }
  })

  test('is charged for, with its events and its codes', async () => {
    const { get, charged } = pages()
    const paths = [`/order/${ORDER_ID}`, `/order/${ORDER_ID}/events`, `/order/${ORDER_ID}/qr/sep.svg`]
    for (const path of paths) await get(path)
    assert.deepEqual(charged, paths)
  })

  test('does not count what others paid to its wallets', async () => {
    const { text } = await pages().get(`/order/${ORDER_ID}`)
    assert.ok(textOf(text).includes('No payment seen yet'))
  })

  test('tells of another coin once, though two options are on one wallet, and not who has paid', async () => {
    const shared = {
      options: [
        { ...IN_USDT, wallets: [SEP_WALLET] },
        { ...IN_ETHER, wallets: [SEP_WALLET] },
      ],
    }
    const { get, searches } = pages(shared)
    const { text } = await get(`/order/${ORDER_ID}`)
    assert.equal(textOf(text).split('7 USDC arrived').length, 2)
    assert.deepEqual(
      searches.map(({ walletIds, currency }) => [walletIds, currency]),
      [
        [['sep'], 'USDT'],
        [['sep'], 'native'],
      ],
    )
    assert.equal((await pages(PAID).get(`/order/${ORDER_ID}`)).text.includes('USDC arrived'), false)
  })
})

describe('the events of the page of an order', () => {
  test('are those of all its wallets and invoices, whichever option it shows', async () => {
    const { get, waiting, found } = pages(HALF)
    assert.equal((await get(`/order/${ORDER_ID}/events?after=v1`)).status, 503)
    assert.deepEqual(waiting, [
      {
        page: `order/${ORDER_ID}`,
        walletIds: ['sep', 'nile', 'ether'],
        invoiceIds: found.invoices.map(({ invoice }) => invoice.id),
        seen: 'v1',
        client: '192.0.2.1',
      },
    ])
  })

  test('end when nothing more is expected', async () => {
    const { get, waiting } = pages(PAID)
    const { options, order } = orderView(PAID)
    const version = orderVersionOf({ order, options, strays: [], networks: NETWORKS })
    assert.ok((await get(`/order/${ORDER_ID}/events`)).text.includes(`data: ${version}`))
    assert.equal((await get(`/order/${ORDER_ID}/events?after=${version}`)).status, 204)
    assert.deepEqual(waiting, [])
  })

  test('go on for an order that has expired, since something may come late', async () => {
    const { get, waiting } = pages(EXPIRED)
    await get(`/order/${ORDER_ID}/events`)
    assert.equal(waiting.length, 1)
  })
})

describe('the QR codes of an order', () => {
  test('are those of the wallets of every option that can be paid', async () => {
    const { get } = pages()
    for (const { id, address } of [SEP_WALLET, NILE_WALLET, ETHER_WALLET]) {
      const reply = await get(`/order/${ORDER_ID}/qr/${id}.svg`)
      assert.deepEqual(
        [reply.status, reply.headers['Content-Type'], reply.text],
        [200, 'image/svg+xml', qrSvg(address)],
      )
    }
    for (const file of ['unknown.svg', 'sep.png', 'sep']) {
      assert.equal((await get(`/order/${ORDER_ID}/qr/${file}`)).status, 404, file)
    }
  })

  for (const [what, order] of Object.entries({ PAID, SEEN, EXPIRED })) {
    test(`are none once nothing is asked: ${what.toLowerCase()}`, async () => {
      for (const id of ['sep', 'nile', 'ether']) {
        assert.equal((await pages(order).get(`/order/${ORDER_ID}/qr/${id}.svg`)).status, 404, id)
      }
    })
  }

  test('are none of an option that is void while another is not', async () => {
    const { get } = pages({ options: [IN_USDT, { ...IN_ETHER, ...GONE }] })
    assert.equal((await get(`/order/${ORDER_ID}/qr/ether.svg`)).status, 404)
    assert.equal((await get(`/order/${ORDER_ID}/qr/sep.svg`)).status, 200)
  })
})

describe('the page of an invoice that is an option of an order', () => {
  test('leads to the page of the order with that option, and never asks for the whole', async () => {
    const { get, found } = pages(HALF)
    for (const [i, { invoice }] of found.invoices.entries()) {
      const { status, headers, text } = await get(`/pay/${invoice.id}`)
      assert.deepEqual([status, headers['Location'], text], [302, `../order/${ORDER_ID}?option=${i + 1}`, ''])
      assert.equal(headers['Cache-Control'], 'no-store')
      const { headers: german } = await get(`/pay/${invoice.id}?lang=de&utm_source=mail`)
      assert.equal(german['Location'], `../order/${ORDER_ID}?lang=de&option=${i + 1}`)
      assert.equal((await get(`/pay/${invoice.id}/qr/sep.svg`)).status, 404)
    }
  })

  test('does not pass on what is no language', async () => {
    const { get, found } = pages()
    const id = found.invoices[0]?.invoice.id
    const { headers } = await get(`/pay/${id}?lang=%0d%0aSet-Cookie:x`)
    assert.equal(headers['Location'], `../order/${ORDER_ID}?option=1`)
  })
})
