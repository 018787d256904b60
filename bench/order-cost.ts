import { formatAmount } from '../src/domain/amount.js'
import { NO_ORDER_FIELDS } from '../src/domain/order-fields.js'
import { quoteOption } from '../src/domain/order-price.js'
import type { InvoiceCommand, OrderCommand } from '../src/store/commands.js'
import { START_MS } from '../test/support/manual-clock.js'
import { askChild } from './child.js'

/** Options of an order: as many as there may be. */
export const OPTIONS = 10
export const EXPIRY_SECONDS = 900
const OWNERS = 50
const CURRENCIES = ['USDT', 'native'] as const
const WALLETS_PER_ORDER = OPTIONS / CURRENCIES.length
const ATOMS_PER_STEP = 10n ** 12n
const PLACES = { token: 2, coin: 6 }
const RATE = { rate: '0.92', at: START_MS, spread: 0 }

/** What is measured. `place`: the directory, or the address of the database. */
export interface OrderCostTask {
  readonly store: 'lmdb' | 'postgres'
  readonly kind: 'orders' | 'invoices'
  readonly orders: number
  /** Wallets that they are on, a multiple of those of an order. */
  readonly wallets: number
  readonly place: string
}

export interface WorkTime {
  readonly wall: number
  /** Of the process of the store alone: other work on the machine changes it little. */
  readonly processor: number
}

/** What it cost. `read`: one by one; `listed`: in pages of as many invoices. */
export interface OrderCost {
  readonly create: WorkTime
  readonly read: WorkTime
  readonly listed: WorkTime
  readonly expire: WorkTime
  /** The most that the process had of its own, above what it had before. */
  readonly memoryMib: number
  readonly diskMib: number
}

interface OwnedWallet {
  readonly id: string
  readonly owner: string
}

/** So many wallets. Those of an order have one owner. */
export function walletsOf({ wallets }: Pick<OrderCostTask, 'wallets'>): readonly OwnedWallet[] {
  return Array.from({ length: wallets }, (_, n) => ({
    id: `wallet-${n}`,
    owner: `owner-${Math.floor(n / WALLETS_PER_ORDER) % OWNERS}`,
  }))
}

/** The `n`th order: on five wallets, in two currencies on each. No two on a wallet ask the same. */
export function orderOf(n: number, wallets: readonly OwnedWallet[]): OrderCommand {
  const first = n * WALLETS_PER_ORDER
  const price = { amount: formatAmount(priceOf(n)), currency: 'EUR' }
  const options = Array.from({ length: OPTIONS }, (_, i) => ({
    walletIds: [walletAt(first + Math.floor(i / CURRENCIES.length), wallets).id],
    currency: CURRENCIES[i % CURRENCIES.length] ?? 'native',
    fixedAmount: null,
  }))
  const coinOf = (currency: string) =>
    currency === 'native' ? { symbol: 'ETH', decimals: 18 } : { symbol: currency, decimals: 6 }
  return {
    type: 'order',
    request: {
      owner: walletAt(first, wallets).owner,
      price,
      options,
      name: `Order ${n}`,
      description: null,
      reference: `order-${n}`,
      fields: NO_ORDER_FIELDS,
      callbackUrl: 'https://shop.example/paid',
      isCallbackUrlValid: true,
      expiresInSeconds: EXPIRY_SECONDS,
    },
    quotes: options.map((one) =>
      quoteOption(price, one, coinOf(one.currency), { rateFor: () => RATE }, PLACES, START_MS),
    ),
  }
}

/** The `n`th of the plain invoices, on the wallet and in the currency of the option with its number. */
export function plainOf(n: number, wallets: readonly OwnedWallet[]): InvoiceCommand {
  const [order, option] = [Math.floor(n / OPTIONS), n % OPTIONS]
  const { id, owner } = walletAt(order * WALLETS_PER_ORDER + Math.floor(option / CURRENCIES.length), wallets)
  const amount = priceOf(order)
  return {
    type: 'invoice',
    request: {
      owner,
      walletIds: [id],
      name: `Order ${order}`,
      description: null,
      reference: `order-${order}/${option + 1}`,
      amountText: formatAmount(amount),
      amount,
      currency: CURRENCIES[option % CURRENCIES.length] ?? 'native',
      callbackUrl: 'https://shop.example/paid',
      isCallbackUrlValid: true,
      order: NO_ORDER_FIELDS,
      expiresInSeconds: EXPIRY_SECONDS,
    },
  }
}

/** Measures it in a process of its own. */
export function orderCost(task: OrderCostTask): Promise<OrderCost> {
  return askChild<OrderCost>('order-cost-child.js', task)
}

function walletAt(n: number, wallets: readonly OwnedWallet[]) {
  const found = wallets[n % wallets.length]
  if (found === undefined) throw new Error('there are no wallets')
  return found
}

/** Whole cents, far apart enough to stay apart at the rate. */
function priceOf(n: number): bigint {
  return (1000n + 2n * BigInt(n)) * 10n ** 18n + ATOMS_PER_STEP * 10n ** 4n
}
