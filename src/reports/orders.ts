import { formatAmount, parseFormattedAmount, parseInvoiceAmount } from '../domain/amount.js'
import { walletsOf } from '../domain/invoice.js'
import { type Completion, completionOf, type PaidOption } from '../domain/order-excess.js'
import { orderState } from '../domain/order-share.js'
import { rateOfOption } from '../domain/order-value.js'
import { percentText } from '../domain/spread.js'
import { isWithin, type LocalTime } from '../domain/zone.js'
import { coinName } from '../listing/coins.js'
import { timeOrNull, timeText } from '../listing/column.js'
import type { OrderWithDeposits, OrderWithOptions } from '../store/orders.js'
import type { Store } from '../store/store.js'
import type { Asked } from './received.js'

/** What was sold for what: a line for each order. */
export const ORDER_FIELDS = [
  ...['day', 'time', 'id', 'order_number', 'reference', 'name', 'owner', 'price', 'price_currency', 'status'],
  ...['created_at', 'expires_at', 'paid_at', 'accepted_at', 'voided_at', 'paid_fraction', 'overpaid', 'options'],
] as const

/** Deposits of an option that are read: what is older is known by its sum. */
const DEPOSITS_READ = 50

export type OrderReportStore = Pick<Store, 'orders' | 'wallets' | 'networks'>

/** The line of an order; null when it was not created in the period. */
export async function orderLine(store: OrderReportStore, found: OrderWithOptions, { period }: Asked) {
  const { order, invoices, readAt } = found
  const at = period.zone.localTime(order.createdAt)
  if (!isWithin(period, at.day)) return null
  const { status, voidedAt, paidFraction } = orderState(order, invoices, readAt)
  const isTouched = invoices.some(({ own }) => own.received !== '0')
  const paid = isTouched ? await store.orders.findWithDeposits(order.id, DEPOSITS_READ) : undefined
  const completion = paid === undefined ? null : confirmedCompletion(paid)
  const coins = await orderCoins(store, found)
  return {
    ...createdLine(found, at),
    status,
    created_at: timeText(order.createdAt),
    expires_at: timeText(order.expiresAt),
    paid_at: status === 'paid' ? timeOrNull(completion?.completedAt ?? order.acceptedAt) : null,
    accepted_at: timeOrNull(order.acceptedAt),
    voided_at: timeOrNull(voidedAt),
    paid_fraction: paidFraction,
    overpaid: listed((completion?.excess ?? []).map((atoms, i) => (atoms > 0n ? sum(atoms, coins[i]) : null))),
    options: listed(invoices.map((_, i) => optionText(found, i, coins[i] ?? ''))),
  } satisfies Record<(typeof ORDER_FIELDS)[number], string | null>
}

function createdLine({ order }: OrderWithOptions, { day, time }: LocalTime) {
  const { id, name, owner, reference, price, fields } = order
  const { amount, currency } = price
  return {
    ...{ day, time, id, order_number: fields.orderNumber, reference, name, owner },
    ...{ price: amount, price_currency: currency },
  }
}

/** When the deposit came that completed an order, and what is too much. What is not confirmed is neither. */
export function confirmedCompletion({ order, invoices }: OrderWithDeposits): Completion {
  const paid = invoices.map(({ invoice, own, deposits }, i): PaidOption => {
    const amount = parseInvoiceAmount(invoice.amount)
    if (amount === null) throw new Error('a stored invoice has no valid amount')
    return {
      amount,
      own: { confirmed: parseFormattedAmount(own.received), pending: 0n },
      decimals: order.options[i]?.decimals ?? 0,
      deposits: deposits.filter(({ isConfirmed }) => isConfirmed),
    }
  })
  return completionOf(paid)
}

/** What people call the coins of the options. All wallets of an option have one. */
export async function orderCoins(
  { wallets, networks }: Pick<Store, 'wallets' | 'networks'>,
  { invoices }: OrderWithOptions,
): Promise<readonly string[]> {
  return await Promise.all(
    invoices.map(async ({ invoice }) => {
      const [id = ''] = walletsOf(invoice)
      return coinName(networks, (await wallets.find(id))?.network ?? null, invoice.currency)
    }),
  )
}

function optionText({ order, invoices }: OrderWithOptions, i: number, coin: string): string {
  const { invoice, own } = invoices[i] ?? {}
  const option = order.options[i]
  const rate = option === undefined ? null : rateOfOption(option)
  const spread = option?.rate == null || option.rate.spread === 0 ? '' : ` + ${percentText(option.rate.spread)} %`
  const at = rate === null ? 'fixed' : `at ${rate}${spread}`
  return `${invoice?.amount} ${coin} ${at}: ${own?.received} received`
}

function sum(atoms: bigint, coin = ''): string {
  return `${formatAmount(atoms)} ${coin}`
}

/** Several in one field. The comma and the semicolon separate fields. */
function listed(texts: readonly (string | null)[]): string | null {
  return texts.filter((text) => text !== null).join(' | ') || null
}
