import { formatAmount } from '../domain/amount.js'
import type { Deposit } from '../domain/deposit.js'
import type { Networks } from '../domain/network.js'
import { rateOfOption, roundedValueText, type Value, valueAt, valueText } from '../domain/order-value.js'
import { percentText } from '../domain/spread.js'
import { isWithin, type LocalTime, type Period } from '../domain/zone.js'
import { coinName } from '../listing/coins.js'
import { timeOrNull, timeText } from '../listing/column.js'
import type { ReceivedDeposit } from '../store/received.js'

/** What was received for what: a line for each confirmed deposit. */
export const RECEIVED_FIELDS = [
  ...['day', 'time', 'received_at', 'confirmed_at', 'network', 'coin', 'amount', 'tx_hash', 'index', 'address'],
  ...['wallet', 'owner', 'match', 'invoice', 'order', 'order_number', 'reference', 'price', 'price_currency'],
  ...['rate', 'rate_at', 'spread', 'value', 'value_exact'],
] as const

/** A deposit of a period, with what a report says of it. */
export interface Receipt {
  readonly received: ReceivedDeposit
  readonly at: LocalTime
  /** Whose money it is: of the invoice's owner, or of the one whose wallet it was then; null when nobody knows. */
  readonly owner: string | null
  readonly coin: string
  /** What it is worth at the rate of its order; null without one. */
  readonly worth: { readonly value: Value; readonly currency: string } | null
}

/** What is asked of a report. */
export interface Asked {
  readonly period: Period
  /** Null: those of all. */
  readonly owner: string | null
}

/** The receipt of a deposit; null when it is none of the period, or not the owner's. */
export function receiptOf(received: ReceivedDeposit, { period, owner }: Asked, networks: Networks): Receipt | null {
  const { deposit, countedAs } = received
  const at = period.zone.localTime(deposit.receivedAt)
  if (!isWithin(period, at.day)) return null
  const its = ownerOf(received)
  if (owner !== null && its !== owner) return null
  const coin = countedAs === null ? (deposit.currency ?? '') : coinName(networks, deposit.network, countedAs)
  return { received, at, owner: its, coin, worth: worthOf(received) }
}

/** A wallet may have had another owner when its money came. */
function ownerOf({ deposit, invoice, wallet }: ReceivedDeposit): string | null {
  if (invoice !== null) return invoice.owner
  return wallet !== null && deposit.receivedAt >= (wallet.assignedAt ?? 0) ? wallet.owner : null
}

function worthOf({ atoms, invoice }: ReceivedDeposit): Receipt['worth'] {
  const { order, option } = invoice?.order ?? {}
  const rate = option === undefined ? null : rateOfOption(option)
  return order === undefined || rate === null ? null : { value: valueAt(atoms, rate), currency: order.price.currency }
}

/** A line of the report. */
export function receivedLine({ received, at, owner, coin, worth }: Receipt) {
  const { deposit, atoms, invoice, wallet } = received
  const { order, option } = invoice?.order ?? {}
  return {
    day: at.day,
    time: at.time,
    received_at: timeText(deposit.receivedAt),
    confirmed_at: timeOrNull(deposit.confirmedAt),
    network: deposit.network,
    coin,
    amount: formatAmount(atoms),
    tx_hash: deposit.txHash,
    index: deposit.index,
    address: deposit.toAddress,
    wallet: wallet?.id ?? null,
    owner,
    match: matchOf(received),
    invoice: invoice?.id ?? null,
    order: order?.id ?? null,
    order_number: order?.fields.orderNumber ?? invoice?.orderNumber ?? null,
    // The invoices of an order have references that follow from its own.
    reference: order === undefined ? (invoice?.reference ?? null) : order.reference,
    price: order?.price.amount ?? null,
    price_currency: order?.price.currency ?? null,
    rate: option === undefined ? null : rateOfOption(option),
    rate_at: timeOrNull(option?.rate?.at ?? null),
    spread: option?.rate == null ? null : percentText(option.rate.spread),
    value: worth === null ? null : roundedValueText(worth.value, worth.currency),
    value_exact: worth === null ? null : valueText(worth.value),
  } satisfies Record<(typeof RECEIVED_FIELDS)[number], string | number | null>
}

function matchOf({ invoice, isLate }: ReceivedDeposit): 'matched' | 'late' | 'unmatched' {
  if (invoice === null) return 'unmatched'
  return isLate ? 'late' : 'matched'
}

/** Whether a deposit is money that was received for good: what is pending may never be. */
export function isReceived({ kind }: Deposit): boolean {
  return kind === 'confirmed'
}
