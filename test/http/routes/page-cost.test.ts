import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EVENT_LOOP, Turns } from '../../../src/base/turns.js'
import { NO_ORDER_FIELDS } from '../../../src/domain/order-fields.js'
import type { Wallet } from '../../../src/domain/wallet.js'
import { chargeFor, Limiters } from '../../../src/http/guards/rate-limiter.js'
import { Lists } from '../../../src/http/lists.js'
import { paymentPageHandlers } from '../../../src/http/routes/pay.js'
import { PLAIN_PAGES } from '../../page/frame.js'
import { ManualClock } from '../../support/manual-clock.js'
import { pageNetworks } from '../../support/networks.js'
import { headFrom } from '../head-from.js'

const INVOICE_ID = '018f2a4c5b6d7e8f9012345678abcdef'
const CLIENT = { key: '192.0.2.1', isLoopback: false }
const PER_MINUTE = 600

/** Pages of an invoice on so many wallets, each of which takes so long to look up. */
function pages(wallets: number, lookupMs: number, waits = false) {
  const ids = Array.from({ length: wallets }, (_, n) => `wallet-${n}`)
  const invoice = {
    id: INVOICE_ID,
    owner: 'merchant',
    wallet_id: 'wallet-0',
    wallet_ids: ids.join(','),
    name: 'Tea',
    description: null,
    reference: null,
    amount: '0.5',
    currency: 'native' as const,
    callback_url: null,
    created_at: 1_700_000_000_000,
  }
  const payment = { status: 'unpaid', received: '0', pending: '0', remaining: '0.5', overpaid: '0', own: '0' } as const
  const found = {
    invoice,
    order: NO_ORDER_FIELDS,
    payment,
    own: payment,
    voidedAt: null,
    acceptedAt: null,
    expiresAt: null,
    deposits: [],
    hasMoreDeposits: false,
    orderId: null,
  }
  let nowMs = 0
  const look = (id: string): Wallet => {
    nowMs += lookupMs
    return { id, network: 'SEP', address: `0x${'1'.repeat(40)}`, owner: 'merchant', assignedAt: 1 }
  }
  const limiters = new Limiters(new ManualClock())
  const limiter = limiters.add('requests', PER_MINUTE)
  const clientOf = () => CLIENT
  const turns = new Turns({
    width: 1,
    now: () => nowMs,
    afterOthers: (task) => setImmediate(task),
    after: EVENT_LOOP.after,
  })
  const charge = chargeFor({ name: 'requests', clientOf, limiters, counts: () => true })
  const handlers = paymentPageHandlers({
    store: {
      invoices: { findWithDeposits: () => found },
      orders: { find: () => undefined },
      wallets: { find: (id) => (waits ? Promise.resolve(look(id)) : look(id)) },
      deposits: { strays: () => [] },
    },
    lists: new Lists({ turns, clientOf, charge }),
    pages: PLAIN_PAGES,
    networks: pageNetworks({}),
    openPages: { open: () => null },
    clientOf,
    clock: new ManualClock(),
  })
  const request = { ...headFrom(CLIENT.key), body: Buffer.alloc(0), aborted: false }
  return {
    ask: async (path: 'GET /pay/:id' | 'GET /pay/:id/qr/:file') =>
      (await handlers[path](request, { id: INVOICE_ID, file: 'wallet-0.svg' }, null)).status,
    /** Requests that the client is still allowed, without time passing. */
    left: () => {
      let left = 0
      while (limiter.take(CLIENT.key) === 0) left += 1
      return left
    },
  }
}

describe('a payment page', () => {
  test('of an invoice on one wallet costs the request alone', async () => {
    const { ask, left } = pages(1, 0.1)
    for (let n = 0; n < 10; n += 1) assert.equal(await ask('GET /pay/:id'), 200)
    assert.equal(left(), PER_MINUTE)
  })

  test('costs what its wallets cost: 5 ms of the main thread for each further request', async () => {
    const { ask, left } = pages(50, 0.12)
    for (let n = 0; n < 10; n += 1) assert.equal(await ask('GET /pay/:id'), 200)
    assert.equal(left(), PER_MINUTE - 10)
  })

  test('costs no more because the machine kept it waiting', async () => {
    const { ask, left } = pages(50, 100)
    assert.equal(await ask('GET /pay/:id'), 200)
    assert.equal(left(), PER_MINUTE - 2)
  })

  test('costs what a database in another process does for it', async () => {
    const { ask, left } = pages(50, 0.08, true)
    assert.equal(await ask('GET /pay/:id'), 200)
    assert.equal(left(), PER_MINUTE - 1)
  })

  test('has its QR codes charged like it', async () => {
    const { ask, left } = pages(50, 6)
    assert.equal(await ask('GET /pay/:id/qr/:file'), 200)
    assert.equal(left(), PER_MINUTE - 1)
  })
})
