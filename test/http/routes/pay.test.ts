import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Invoice } from '../../../src/domain/invoice.js'
import { NO_ORDER_FIELDS } from '../../../src/domain/order-fields.js'
import type { Payment } from '../../../src/domain/payment.js'
import type { Wallet } from '../../../src/domain/wallet.js'
import { NodeServer } from '../../../src/http/node/server.js'
import { createRouter } from '../../../src/http/router.js'
import { failurePages } from '../../../src/http/routes/failure-pages.js'
import { paymentPageHandlers } from '../../../src/http/routes/pay.js'
import type { HttpServer } from '../../../src/http/server.js'
import type { Waiting } from '../../../src/page/open-pages.js'
import { versionOf } from '../../../src/page/payment-page.js'
import { qrSvg } from '../../../src/page/qr.js'
import type { StraySearch } from '../../../src/store/deposits.js'
import { PLAIN_PAGES, textOf } from '../../page/frame.js'
import { ManualClock } from '../../support/manual-clock.js'
import { pageNetworks } from '../../support/networks.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { routesOf } from './call-route.js'

const UNPAID_ID = '018f2a4c5b6d7e8f9012345678abcdef'
const PAID_ID = '018f2a4c5b6d7e8f9012345678abcd00'
const OLD_ID = '018f2a4c5b6d7e8f9012345678abcd01'
const VOID_ID = '018f2a4c5b6d7e8f9012345678abcd03'
const EXPIRING_ID = '018f2a4c5b6d7e8f9012345678abcd04'
const FAILING_ID = '018f2a4c5b6d7e8f9012345678abcd02'

const UNPAID: Payment = { status: 'unpaid', received: '0', pending: '0', remaining: '0.5', overpaid: '0', own: '0' }
const PAID: Payment = { status: 'paid', received: '0.5', pending: '0', remaining: '0', overpaid: '0', own: '0.5' }

function invoice(id: string, wallets: Pick<Invoice, 'wallet_id' | 'wallet_ids'>): Invoice {
  return {
    id,
    owner: 'merchant',
    ...wallets,
    name: 'Tea <set>',
    description: null,
    reference: null,
    amount: '0.5',
    currency: 'native',
    callback_url: null,
    created_at: 1_700_000_000_000,
  }
}

/** What others have paid to the wallets of an invoice. */
const OTHERS: Payment = { status: 'paid', received: '77', pending: '3', remaining: '0', overpaid: '0', own: '0' }

const PAGES = { ...PLAIN_PAGES, isSandbox: true }

const PAYABLE = { order: NO_ORDER_FIELDS, voidedAt: null, acceptedAt: null, expiresAt: null }

const invoices = new Map([
  [
    UNPAID_ID,
    { invoice: invoice(UNPAID_ID, { wallet_id: 'sep', wallet_ids: 'sep,nile,unseen' }), payment: UNPAID, ...PAYABLE },
  ],
  [PAID_ID, { invoice: invoice(PAID_ID, { wallet_id: 'sep', wallet_ids: 'sep' }), payment: PAID, ...PAYABLE }],
  [
    VOID_ID,
    {
      invoice: invoice(VOID_ID, { wallet_id: 'sep', wallet_ids: 'sep' }),
      payment: UNPAID,
      order: NO_ORDER_FIELDS,
      voidedAt: 1_700_000_060_000,
      acceptedAt: null,
      expiresAt: 1_700_000_060_000,
    },
  ],
  [
    EXPIRING_ID,
    {
      invoice: invoice(EXPIRING_ID, { wallet_id: 'sep', wallet_ids: 'sep' }),
      payment: UNPAID,
      order: NO_ORDER_FIELDS,
      voidedAt: null,
      acceptedAt: null,
      expiresAt: Date.UTC(2026, 10, 22, 7, 5),
    },
  ],
  [OLD_ID, { invoice: invoice(OLD_ID, { wallet_id: 'nile', wallet_ids: null }), payment: UNPAID, ...PAYABLE }],
])

/** The page shows what is the invoice's own, and not what else came to its wallets. */
function told(id: string) {
  const found = invoices.get(id)
  return found && { ...found, own: found.payment, payment: OTHERS }
}

const ASSIGNED = { owner: 'merchant', assignedAt: 1 }
const SEP_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'
const SEP_WALLET: Wallet = { id: 'sep', network: 'SEP', address: SEP_ADDRESS, ...ASSIGNED }
const wallets = new Map<string, Wallet>([
  ['sep', SEP_WALLET],
  ['nile', { id: 'nile', network: 'TRX-NILE', address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', ...ASSIGNED }],
])

const NETWORKS = pageNetworks({ SEP: { chainId: 11155111, confirmations: 12 } })

const STRAYS = [{ network: 'TRX-NILE', txHash: 'a1', currency: 'native', amount: '90' }] as const

async function* news(): AsyncGenerator<string> {
  yield 'event: changed\n\n'
}

interface Reply {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

describe('GET /pay/:id', () => {
  let server: HttpServer
  let port = 0
  const asked: Waiting[] = []
  const searches: StraySearch[] = []

  before(async () => {
    const handlers = paymentPageHandlers({
      store: {
        invoices: {
          findWithDeposits: (id) => {
            if (id === FAILING_ID) throw new Error('disk on fire')
            const found = told(id)
            return found && { ...found, deposits: [], hasMoreDeposits: false, orderId: null }
          },
        },
        orders: { find: () => undefined },
        wallets: { find: (id) => wallets.get(id) },
        deposits: {
          strays: (search) => {
            searches.push(search)
            return STRAYS
          },
        },
      },
      lists: unlimitedLists(),
      pages: PAGES,
      networks: NETWORKS,
      openPages: {
        open: (waiting) => {
          asked.push(waiting)
          return waiting.page === `pay/${EXPIRING_ID}` ? null : news()
        },
      },
      clientOf: () => ({ key: '192.0.2.1', isLoopback: false }),
      clock: new ManualClock(),
    })
    server = new NodeServer(
      createRouter(routesOf(handlers), { onError: () => undefined, present: failurePages(PAGES) }),
      {
        host: '127.0.0.1',
        port: 0,
        connectionLimit: 10,
        unfinishedBodiesLimitBytes: 1_000_000,
        unreadAnswersLimitBytes: 64_000_000,
        requestTimeoutMs: 5000,
        idleTimeoutMs: 5000,
      },
      (error) => assert.fail(String(error)),
    )
    port = (await server.listen()).port
  })

  after(() => server.close())

  function send(method: string, path: string, sentHeaders: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers: sentHeaders, agent: false }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks).toString() }),
        )
        answer.on('error', reject)
      })
      sent.on('error', reject)
      sent.end()
    })
  }

  function assertPageHeaders({ headers, body }: Reply): void {
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    const policy = String(headers['content-security-policy'])
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
    assert.equal(
      policy,
      `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    )
    // An answer to HEAD has no body.
    if (body !== '') assert.ok(body.includes(`<style nonce="${nonce}">`))
    assert.equal(headers['x-robots-tag'], 'noindex')
    assert.equal(headers['vary'], 'Accept-Language')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['cache-control'], 'no-store')
  }

  test('shows an invoice with all its wallets, a wallet that is not known yet included', async () => {
    const reply = await send('GET', `/pay/${UNPAID_ID}`)
    assert.equal(reply.status, 200)
    assertPageHeaders(reply)
    const text = textOf(reply.body)
    for (const { address } of wallets.values()) assert.ok(text.includes(address ?? ''), text)
    assert.ok(text.includes('0.5 ETH or TRX'))
    assert.ok(reply.body.includes('The address of this wallet is not known yet.'))
    assert.ok(reply.body.includes('Tea &lt;set&gt;'))
    assert.ok(reply.body.includes('http-equiv="refresh"'))
  })

  test('shows the one wallet of an invoice from before multi-wallet support', async () => {
    const reply = await send('GET', `/pay/${OLD_ID}`)
    assert.equal(reply.status, 200)
    assert.ok(reply.body.includes('0.5 TRX'))
    assert.ok(textOf(reply.body).includes('TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'))
  })

  test('ignores what mail and chat programs add to a link', async () => {
    const plain = await send('GET', `/pay/${PAID_ID}`)
    assert.equal(textOf((await send('GET', `/pay/${PAID_ID}?utm_source=mail&fbclid=1`)).body), textOf(plain.body))
  })

  test('shows a paid invoice without refreshing', async () => {
    const reply = await send('GET', `/pay/${PAID_ID}`)
    assert.equal(reply.status, 200)
    assert.ok(reply.body.includes('Paid. Nothing more is due.'))
    assert.equal(reply.body.includes('http-equiv'), false)
  })

  test('shows no address of an invoice that is void or has expired', async () => {
    const reply = await send('GET', `/pay/${VOID_ID}`)
    assert.equal(reply.status, 200)
    assert.ok(reply.body.includes('This invoice is no longer payable.'))
    assert.equal(textOf(reply.body).includes(wallets.get('sep')?.address ?? ''), false)
  })

  test('says until when an invoice that expires is payable', async () => {
    const reply = await send('GET', `/pay/${EXPIRING_ID}`)
    assert.ok(textOf(reply.body).includes('Pay before November 22, 2026 at 7:05 AM UTC.'))
  })

  const unknown = ['0'.repeat(32), 'x', UNPAID_ID.toUpperCase(), `${UNPAID_ID}0`, '%3Cscript%3E', '..%2f', '__proto__']
  for (const id of unknown) {
    test(`answers 404 with a page to /pay/${id}`, async () => {
      const reply = await send('GET', `/pay/${id}`)
      assert.equal(reply.status, 404)
      assertPageHeaders(reply)
      assert.ok(reply.body.includes('<h1>Invoice not found</h1>'))
      assert.equal(reply.body.includes('<script>'), false)
    })
  }

  test('answers HEAD as GET without the page', async () => {
    for (const [id, status] of [
      [UNPAID_ID, 200],
      ['x', 404],
    ] as const) {
      const get = await send('GET', `/pay/${id}`)
      const head = await send('HEAD', `/pay/${id}`)
      assert.equal(head.status, status)
      assert.equal(head.body, '')
      assertPageHeaders(head)
      assert.equal(head.headers['content-length'], get.headers['content-length'])
    }
  })

  const languages: readonly [what: string, query: string, accepted: string | undefined, code: string][] = [
    ['none is asked for', '', undefined, 'en'],
    ['the browser prefers it', '', 'fr-CA,fr;q=0.9,en;q=0.5', 'fr'],
    ['the link asks for it, whatever the browser prefers', '?lang=ar', 'fr', 'ar'],
    ['the link asks for one that there is not', '?lang=xx', 'de', 'de'],
  ]
  for (const [what, query, accepted, code] of languages) {
    test(`speaks ${code} if ${what}`, async () => {
      for (const id of [UNPAID_ID, 'x']) {
        const headers: Record<string, string> = accepted === undefined ? {} : { 'Accept-Language': accepted }
        const reply = await send('GET', `/pay/${id}${query}`, headers)
        assert.ok(reply.body.includes(`<html lang="${code}"`))
        assert.equal(reply.headers['content-language'], code)
      }
    })
  }

  test('uses a nonce once', async () => {
    const [first, second] = [await send('GET', `/pay/${PAID_ID}`), await send('GET', `/pay/${PAID_ID}`)]
    assert.notEqual(first.headers['content-security-policy'], second.headers['content-security-policy'])
  })

  test('has the code of an address as an image that runs nothing', async () => {
    const reply = await send('GET', `/pay/${UNPAID_ID}/qr/sep.svg`)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['content-type'], 'image/svg+xml')
    assert.equal(reply.headers['content-security-policy'], "default-src 'none'")
    assert.equal(reply.headers['x-content-type-options'], 'nosniff')
    assert.equal(reply.body, qrSvg('0x52908400098527886E0F7030069857D2E4169EE7'))
  })

  const withoutCode: readonly [what: string, path: string][] = [
    ['a wallet of another invoice', `${EXPIRING_ID}/qr/nile.svg`],
    ['a wallet that is not known yet', `${UNPAID_ID}/qr/unseen.svg`],
    ['another kind of file', `${UNPAID_ID}/qr/sep.png`],
    ['a paid invoice', `${PAID_ID}/qr/sep.svg`],
    ['a void invoice', `${VOID_ID}/qr/sep.svg`],
    ['an unknown invoice', 'x/qr/sep.svg'],
  ]
  for (const [what, path] of withoutCode) {
    test(`has no code of ${what}`, async () => assert.equal((await send('GET', `/pay/${path}`)).status, 404))
  }

  test('streams events to a page, and says what it has seen', async () => {
    const reply = await send('GET', `/pay/${UNPAID_ID}/events?after=v1`)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['content-type'], 'text/event-stream')
    assert.equal(reply.headers['cache-control'], 'no-store')
    assert.equal(reply.headers['x-accel-buffering'], 'no')
    assert.equal(reply.body, 'event: changed\n\n')
    const walletIds = ['sep', 'nile', 'unseen']
    assert.deepEqual(asked.pop(), {
      page: `pay/${UNPAID_ID}`,
      walletIds,
      invoiceIds: [UNPAID_ID],
      seen: 'v1',
      client: '192.0.2.1',
    })
    await send('GET', `/pay/${UNPAID_ID}/events?after=v1`, { 'Last-Event-ID': 'v2' })
    assert.equal(asked.pop()?.seen, 'v2')
  })

  test('tells of another coin on the wallets that are still the owner’s, since the invoice, and not who has paid', async () => {
    searches.length = 0
    const { body } = await send('GET', `/pay/${EXPIRING_ID}`)
    assert.ok(textOf(body).includes('90 TRX arrived on TRON Nile.'), body)
    const since = invoices.get(EXPIRING_ID)?.invoice.created_at
    assert.deepEqual(searches, [{ walletIds: ['sep'], currency: 'native', since }])
    assert.equal((await send('GET', `/pay/${PAID_ID}`)).body.includes('90 TRX'), false)
    wallets.set('sep', { ...SEP_WALLET, owner: 'another' })
    assert.equal((await send('GET', `/pay/${EXPIRING_ID}`)).body.includes('90 TRX'), false)
    wallets.set('sep', SEP_WALLET)
  })

  test('tells a page that has seen the end not to ask again', async () => {
    const shown = {
      payment: PAID,
      voidedAt: null,
      strays: [],
      wallets: [{ id: 'sep', network: 'SEP', address: SEP_ADDRESS }],
      deposits: [],
      hasMoreDeposits: false,
      networks: NETWORKS,
    } as const
    const version = versionOf(shown)
    const late = await send('GET', `/pay/${PAID_ID}/events?after=v1`)
    assert.deepEqual([late.status, late.body], [200, `id: ${version}\nevent: changed\ndata: ${version}\n\n`])
    const reply = await send('GET', `/pay/${PAID_ID}/events?after=${version}`)
    assert.deepEqual([reply.status, reply.body], [204, ''])
    assert.deepEqual(asked, [])
  })

  test('asks a page that finds no room to come later', async () => {
    const reply = await send('GET', `/pay/${EXPIRING_ID}/events`)
    assert.equal(reply.status, 503)
    assert.equal(reply.headers['retry-after'], '30')
  })

  test('has no events of an unknown invoice', async () => {
    assert.equal((await send('GET', '/pay/x/events')).status, 404)
  })

  test('tells nothing of what went wrong inside', async () => {
    const reply = await send('GET', `/pay/${FAILING_ID}`)
    assert.equal(reply.status, 500)
    assert.equal(reply.body.includes('fire'), false)
  })
})
