import {
  type ApiKey,
  type BillhookEvent,
  type InvoiceWithPayment,
  identityFromPhrase,
  identityId,
  type Order,
  type Rates,
  type ServiceInfo,
  type Wallet,
  type WebhookDelivery,
  type WebhookSettings,
} from '@billhook/client'
import { START_MS } from '../../support/manual-clock.js'

/*
 * A shop in which everything is fixed, so that its pictures are the same each time.
 */

export const PHRASE = 'test test test test test test test test test test test junk'

const NAME = 'shop.example'

/** The identity of these words. */
export const OWNER = identityId((await identityFromPhrase(PHRASE)).publicKey, NAME)

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const usdt = (contract: string) => ({
  token: contract,
  decimals: 6,
  tokens: [{ symbol: 'USDT', contract, decimals: 6 }],
})

export const INFO: ServiceInfo = {
  version: '1.0.0',
  strict: false,
  unsigned: 'on',
  networks: [
    {
      id: 'TRX',
      name: 'TRON',
      symbol: 'TRX',
      claim: 'tron',
      testnet: false,
      ...usdt('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
    },
    {
      id: 'ETH',
      name: 'Ethereum',
      symbol: 'ETH',
      claim: 'ethereum',
      testnet: false,
      ...usdt('0xdAC17F958D2ee523a2206206994597C13D831ec7'),
    },
  ],
  ledger: {
    namespace: 'billhook',
    contracts: { onboard: 'a', assignOwner: 'b' },
    onboardingName: NAME,
    nodes: [],
  },
}

export const RATES: Rates = {
  source: 'file',
  at: START_MS,
  age_seconds: 0,
  max_age_seconds: 600,
  spread: '0',
  rates: { EUR: { USDT: '0.92', ETH: '1785.4', TRX: '0.0967' } },
  withheld: [],
}

/** A text of digits of an id, an address or a hash. */
const digits = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length)

function wallet(id: string, network: string, address: string | null): Wallet {
  return { id: digits(id, 64), network, address, assigned_at: START_MS - 10 * DAY_MS }
}

export const WALLETS = [
  wallet('a1', 'TRX', 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'),
  wallet('a2', 'TRX', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'),
  wallet('b1', 'ETH', '0x52908400098527886E0F7030069857D2E4169EE7'),
  wallet('b2', 'ETH', '0x8617E340B3D01FA5F11F306F4090FD50E238070D'),
  wallet('b3', 'ETH', null),
] as const

const PAYMENT = { status: 'unpaid', received: '0', pending: '0', remaining: '25', overpaid: '0', own: '0' } as const
const TEXTS = { description: null, returnUrl: null, metadata: null, callback_url: null, wallet_ids: null }

function invoice(id: string, minutes: number, given: Partial<InvoiceWithPayment>): InvoiceWithPayment {
  return {
    id: digits(id, 32),
    owner: OWNER,
    wallet_id: WALLETS[0].id,
    ...TEXTS,
    name: 'Tea set for six',
    reference: `app-${id}`,
    orderNumber: null,
    amount: '25.00',
    currency: 'USDT',
    created_at: START_MS - minutes * MINUTE_MS,
    expires_at: START_MS + 45 * MINUTE_MS,
    voided_at: null,
    accepted_at: null,
    payment: PAYMENT,
    ...given,
  }
}

const PAID = { ...PAYMENT, status: 'paid', remaining: '0' } as const

export const INVOICES: readonly InvoiceWithPayment[] = [
  invoice('e1', 4, { orderNumber: 'A-1024' }),
  invoice('e2', 31, {
    name: 'Delivery of two pallets of hand-painted porcelain to the harbour warehouse, gate 7',
    orderNumber: 'Autumn-fair-2023-Rotterdam-00000000000000017',
    amount: '18250.00',
    wallet_id: WALLETS[2].id,
    payment: { ...PAYMENT, pending: '18250', remaining: '18250' },
  }),
  invoice('e3', 95, {
    name: 'طقم شاي لستة أشخاص',
    amount: '0.0142',
    currency: 'native',
    wallet_id: WALLETS[2].id,
    payment: { ...PAID, received: '0.0142', own: '0.0142' },
    orderNumber: 'A-1023',
  }),
  invoice('e4', 1500, { name: 'Green tea, 500 g', amount: '12.50', expires_at: START_MS - 1440 * MINUTE_MS }),
  invoice('e5', 1700, { name: 'Teapot', amount: '40.00', voided_at: START_MS - 1600 * MINUTE_MS, expires_at: null }),
].map((one) => (one.id.startsWith('e4') ? { ...one, voided_at: one.expires_at } : one))

/** An invoice that came from nowhere: it pays to a wallet of somebody else. */
export const FOREIGN = invoice('f1', 2, { wallet_id: digits('c9', 64), name: 'Tea set for six' })

function option(id: string, wallet: Wallet, amount: string, currency: string, rate: string): Order['options'][number] {
  const { payment, ...bare } = invoice(id, 1, { wallet_id: wallet.id, amount, currency, payment: PAYMENT })
  return {
    invoice: bare,
    payment: { ...payment, remaining: amount },
    rate,
    rateAt: START_MS,
    spread: '0',
    remaining: amount,
    voided_at: null,
  }
}

export function order(id: string, given: Partial<Order> = {}): Order {
  return {
    id: digits(id, 32),
    owner: OWNER,
    price: { amount: '25', currency: 'EUR' },
    name: 'Till',
    description: null,
    reference: `app-${id}`,
    returnUrl: null,
    orderNumber: null,
    metadata: null,
    created_at: START_MS - MINUTE_MS,
    expires_at: START_MS + 14 * MINUTE_MS,
    voided_at: null,
    accepted_at: null,
    status: 'unpaid',
    paid_fraction: '0',
    options: [
      option(`${id}1`, WALLETS[1], '27.18', 'USDT', '0.92'),
      option(`${id}2`, WALLETS[1], '258.531541', 'native', '0.0967'),
      option(`${id}3`, WALLETS[3], '27.18', 'USDT', '0.92'),
      option(`${id}4`, WALLETS[3], '0.014003', 'native', '1785.4'),
    ],
    ...given,
  }
}

/** What the till of the pictures charges. */
export const TILL_ORDER = order('d0')

export const ORDERS: readonly Order[] = [
  order('d1', { name: 'Tea for the office', orderNumber: 'B-77' }),
  order('d2', { price: { amount: '120.50', currency: 'EUR' }, status: 'partly', paid_fraction: '0.5' }),
  order('d3', { status: 'paid', paid_fraction: '1', created_at: START_MS - 3 * DAY_MS }),
]

/** Events have no ids before they are a log. */
type Entry = Omit<BillhookEvent, 'id'>

const NOTHING = { deposit: null, delivery: null, returnUrl: null, metadata: null }
const OF_PAID = { invoiceId: digits('e3', 32), reference: 'app-e3', orderNumber: 'A-1023' }
const OF_OTHERS = { invoiceId: digits('e9', 32), reference: 'app-e9', orderNumber: null }

function deposit(days: number, network: 'TRX' | 'ETH', currency: string, amount: string): Entry {
  const at = START_MS - days * DAY_MS - MINUTE_MS
  return {
    ...NOTHING,
    ...OF_OTHERS,
    type: 'deposit.confirmed',
    at,
    deposit: {
      network,
      txHash: digits(`${days}f3a`, 64),
      index: 0,
      toAddress: network === 'TRX' ? WALLETS[0].address : WALLETS[2].address,
      currency,
      amount,
      receivedAt: at,
    },
  } as Entry
}

/** Oldest first. */
export const EVENTS: readonly BillhookEvent[] = [
  deposit(26, 'TRX', 'Tether', '310000000'),
  deposit(19, 'TRX', 'Tether', '1250000000'),
  deposit(14, 'ETH', '#native', '0.35'),
  deposit(12, 'ETH', 'Tether', '420500000'),
  deposit(6, 'TRX', 'Tether', '780000000'),
  deposit(3, 'ETH', '#native', '0.12'),
  { ...NOTHING, type: 'delivery.failed', at: START_MS - 2 * DAY_MS, ...OF_OTHERS } as unknown as Entry,
  deposit(2, 'TRX', 'Tether', '95000000'),
  { ...NOTHING, type: 'invoice.created', at: START_MS - 95 * MINUTE_MS, ...OF_PAID } as Entry,
  { ...deposit(0, 'ETH', '#native', '0.0142'), ...OF_PAID, type: 'deposit.pending' } as Entry,
  { ...deposit(0, 'ETH', '#native', '0.0142'), ...OF_PAID } as Entry,
  { ...NOTHING, type: 'invoice.paid', at: START_MS - MINUTE_MS, ...OF_PAID } as Entry,
  deposit(0, 'TRX', 'Tether', '61250000'),
].map((entry, at) => ({ ...entry, id: String(at + 1) }) as BillhookEvent)

function apiKey(label: string, days: number, given: Partial<ApiKey> = {}): ApiKey {
  return {
    id: `${label}-id`,
    owner: OWNER,
    label,
    public_key: `02${digits('5e', 64)}`,
    permissions: 'invoices:create',
    expires_at: null,
    revoked_at: null,
    created_at: START_MS - days * DAY_MS,
    ...given,
  }
}

export const KEYS: readonly ApiKey[] = [
  apiKey('Till at the door', 9, { expires_at: START_MS + 80 * DAY_MS }),
  apiKey('Web shop', 40),
  apiKey('Former employee', 200, { revoked_at: START_MS - DAY_MS }),
]

export const WEBHOOK: WebhookSettings = {
  owner: OWNER,
  callback_url: 'https://shop.example/webhooks/billhook',
  secret: digits('9a4c', 64),
  created_at: START_MS - DAY_MS,
  updated_at: START_MS - DAY_MS,
}

function delivery(id: string, minutes: number, given: Partial<WebhookDelivery>): WebhookDelivery {
  return {
    id: digits(id, 32),
    invoiceId: INVOICES[0]?.id ?? null,
    reference: 'app-e1',
    txHash: digits('81c0', 64),
    status: 'confirmed',
    event: null,
    url: 'https://shop.example/webhooks/billhook',
    state: 'delivered',
    attempt: 1,
    httpStatus: 200,
    failure: null,
    durationMs: 41,
    createdAt: START_MS - minutes * MINUTE_MS,
    attemptedAt: START_MS - minutes * MINUTE_MS,
    nextAttemptAt: null,
    ...given,
  }
}

export const DELIVERIES: readonly WebhookDelivery[] = [
  delivery('71', 3, { state: 'waiting', httpStatus: 503, nextAttemptAt: START_MS + 2 * MINUTE_MS }),
  delivery('72', 60, {}),
  delivery('73', 300, { state: 'failed', httpStatus: null, failure: 'timeout', attempt: 8 }),
]
