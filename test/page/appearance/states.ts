import assert from 'node:assert/strict'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { Network } from '../../../src/domain/network.js'
import { NO_ORDER_FIELDS } from '../../../src/domain/order-fields.js'
import type { Payment, QualifyingDeposit, StrayDeposit } from '../../../src/domain/payment.js'
import type { Wallet } from '../../../src/domain/wallet.js'
import { createRouter } from '../../../src/http/router.js'
import { failurePages } from '../../../src/http/routes/failure-pages.js'
import { orderPageHandlers } from '../../../src/http/routes/order-page.js'
import { paymentPageHandlers } from '../../../src/http/routes/pay.js'
import { walletScriptHandlers } from '../../../src/http/routes/wallet-script.js'
import type { RequestHead, Resolve } from '../../../src/http/server.js'
import type { StraySearch } from '../../../src/store/deposits.js'
import { routesOf } from '../../http/routes/call-route.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { pageNetworks } from '../../support/networks.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { PLAIN_PAGES } from '../frame.js'
import {
  findOrderWithDeposits,
  isOrderState,
  ORDER_WALLETS,
  type OrderStateName,
  orderStateNames,
} from './order-states.js'

/** What the page shows. Everything in it is fixed, so that it looks the same each time. */
interface State {
  readonly payment: Payment
  readonly invoice?: Partial<Invoice>
  readonly closedAt?: number
  readonly expiresAt?: number
  /** Newest first. */
  readonly deposits?: readonly QualifyingDeposit[]
  readonly hasMoreDeposits?: boolean
}

const UNPAID: Payment = { status: 'unpaid', received: '0', pending: '0', remaining: '1250.00', overpaid: '0', own: '0' }
const PAID: Payment = {
  status: 'paid',
  received: '1250.00',
  pending: '0',
  remaining: '0',
  overpaid: '0',
  own: '1250.00',
}
const MINUTE_MS = 60_000
const WALLETS = { wallet_id: 'sep', wallet_ids: 'sep,nile' }

/** A transaction; without confirmations it is confirmed. */
function transaction(network: Network, digits: string, amount: string, confirmations?: number): QualifyingDeposit {
  const hash = digits.repeat(16)
  return {
    network,
    txHash: network === 'SEP' ? `0x${hash}` : hash,
    index: 1,
    receivedAt: START_MS,
    amount,
    isConfirmed: confirmations === undefined,
    confirmations: confirmations ?? null,
  }
}

const states = {
  unseen: { payment: UNPAID, expiresAt: START_MS + 29.5 * MINUTE_MS },
  'last-call': { payment: UNPAID, expiresAt: START_MS + 1.5 * MINUTE_MS },
  'other-coin': { payment: UNPAID, invoice: { wallet_id: 'coined', wallet_ids: 'coined' } },
  'browser-wallet': { payment: UNPAID },
  'connection-lost': { payment: { ...UNPAID, pending: '1250.00' } },
  'seen-in-part': {
    payment: { ...UNPAID, pending: '1235.00' },
    deposits: [transaction('SEP', '3fa9', '1235', 3)],
  },
  seen: {
    payment: { ...UNPAID, pending: '1250.00' },
    deposits: [transaction('TRX-NILE', '81c0', '250', 4), transaction('SEP', '3fa9', '1000', 11)],
  },
  paid: { payment: PAID, deposits: [transaction('SEP', '3fa9', '1250')] },
  overpaid: {
    payment: { ...PAID, received: '1300.00', overpaid: '50' },
    deposits: [transaction('TRX-NILE', '81c0', '50'), transaction('SEP', '3fa9', '1249.999999')],
    hasMoreDeposits: true,
  },
  void: { payment: UNPAID, closedAt: START_MS - MINUTE_MS },
  expired: {
    payment: { ...UNPAID, received: '1000', pending: '200.5', remaining: '250.00' },
    closedAt: START_MS - MINUTE_MS,
    expiresAt: START_MS - MINUTE_MS,
    deposits: [transaction('SEP', '77e2', '200.5', 1), transaction('SEP', '3fa9', '1000')],
  },
  native: {
    payment: { ...UNPAID, remaining: '0.015' },
    invoice: { currency: 'native', amount: '0.015', description: null },
  },
} as const satisfies Record<string, State>

const NOT_FOUND = 'not-found'

export type StateName = keyof typeof states | typeof NOT_FOUND | OrderStateName

/** Every state of the pages, and a failure. */
export const stateNames = [...Object.keys(states), NOT_FOUND, ...orderStateNames] as readonly StateName[]

/** The path at which a state is shown. */
export function pathOf(state: StateName): string {
  return isOrderState(state) ? `/order/${state}` : `/pay/${state}`
}

/** What came to the wallet `coined`. */
const STRAY: StrayDeposit = { network: 'TRX-NILE', txHash: '81c0'.repeat(16), currency: 'native', amount: '90' }

const wallets = new Map<string, Wallet>(
  [
    { id: 'sep', network: 'SEP', address: '0x52908400098527886E0F7030069857D2E4169EE7' } as const,
    { id: 'nile', network: 'TRX-NILE', address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf' } as const,
    { id: 'coined', network: 'TRX-NILE', address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf' } as const,
    ...ORDER_WALLETS,
  ].map((wallet) => [wallet.id, { ...wallet, owner: 'merchant', assignedAt: 1 }]),
)

function findWithDeposits(name: string) {
  if (!(name in states)) return undefined
  const state: State = states[name as keyof typeof states]
  const { payment, invoice = {}, closedAt, expiresAt, deposits = [], hasMoreDeposits = false } = state
  const shown: Invoice = {
    id: name,
    owner: 'merchant',
    ...WALLETS,
    name: 'Tea set for six',
    description: 'Six cups, a pot and a tray.\nShips within two days.',
    reference: 'order-4711',
    amount: '1250.00',
    currency: 'USDT',
    callback_url: null,
    created_at: START_MS - MINUTE_MS,
    ...invoice,
  }
  const ending = { voidedAt: closedAt ?? null, acceptedAt: null, expiresAt: expiresAt ?? null }
  return {
    invoice: shown,
    order: NO_ORDER_FIELDS,
    payment,
    own: payment,
    ...ending,
    orderId: null,
    deposits,
    hasMoreDeposits,
  }
}

/** The pages of the service, over states instead of a store. */
function createPages(): Resolve {
  const parts = {
    store: {
      invoices: { findWithDeposits },
      orders: { find: () => undefined, findWithDeposits: findOrderWithDeposits },
      wallets: { find: (id: string) => wallets.get(id) },
      deposits: { strays: ({ walletIds }: StraySearch) => (walletIds.includes('coined') ? [STRAY] : []) },
    },
    lists: unlimitedLists(),
    pages: PLAIN_PAGES,
    networks: pageNetworks({
      SEP: {
        chainId: 11155111,
        token: '0x7169D38820dfd117C3FA1f22a697dBA58d90BA06',
        explorer: 'https://sep.test/tx/{txHash}',
        confirmations: 12,
        tokenStandard: 'ERC20',
        confirmationMinutes: 3,
      },
      'TRX-NILE': { explorer: 'https://nile.test/tx/{txHash}', tokenStandard: 'TRC20', confirmationMinutes: 1 },
    }),
    openPages: { open: () => null },
    clientOf: () => ({ key: '192.0.2.1', isLoopback: false }),
    clock: new ManualClock(),
  }
  const handlers = { ...paymentPageHandlers(parts), ...orderPageHandlers(parts), ...walletScriptHandlers }
  return createRouter(routesOf(handlers), {
    onError: (error) => assert.fail(String(error)),
    present: failurePages(PLAIN_PAGES),
  })
}

export interface PageAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const resolve = createPages()

/** What the service answers to a request for a page, or for what belongs to it. A state is the id of its invoice. */
export async function answerTo(url: URL): Promise<PageAnswer> {
  const head: RequestHead = {
    method: 'GET',
    path: url.pathname,
    query: url.search.slice(1),
    header: () => undefined,
    requestId: 'request',
    remoteAddress: () => '192.0.2.1',
  }
  const { status, headers, body } = await resolve(head).handle({ ...head, body: Buffer.alloc(0), aborted: false })
  assert.equal(typeof body, 'string')
  return { status, headers: { ...headers }, body: String(body) }
}
