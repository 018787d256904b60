import { formatAmount, parseFormattedAmount, parseInvoiceAmount, roundedUp, smallestUnit } from './amount.js'
import type { Order, Standing } from './order.js'
import type { Payment, Received } from './payment.js'

/*
 * How much of an order has come: the sum over its options of what has come for each, divided by its amount (decisions 15). It is a
 * fraction of two integers, so that three payments which are a third each make a whole. What was promised at a rate stays so: later
 * rates change nothing.
 */

/** A fraction of the price. */
export interface Share {
  readonly over: bigint
  readonly under: bigint
}

/** What an option asks and what has come for it alone. Atoms. */
export interface Portion {
  readonly amount: bigint
  readonly own: Received
}

/** What of an order is confirmed. */
export function shareOf(portions: readonly Portion[]): Share {
  return sumOf(portions, ({ own }) => own.confirmed)
}

/** The same with what was seen and is not confirmed yet. */
export function seenShareOf(portions: readonly Portion[]): Share {
  return sumOf(portions, ({ own }) => own.confirmed + own.pending)
}

export function isWhole({ over, under }: Share): boolean {
  return over >= under
}

/** Whether less than the whole has come, by no more than `underpayment` hundredths of a percent. */
export function isNearlyWhole({ over, under }: Share, underpayment: number): boolean {
  return over < under && over * WHOLE >= under * (WHOLE - BigInt(underpayment))
}

export function standingOf(share: Share): Standing {
  if (isWhole(share)) return 'paid'
  return share.over > 0n ? 'partly' : 'none'
}

/** What of an option's coin still completes its order, rounded up to its decimals. Atoms. */
export function remainingOf({ over, under }: Share, amount: bigint, decimals: number): bigint {
  if (over >= under) return 0n
  return roundedUp(((under - over) * amount + under - 1n) / under, decimals)
}

/**
 * What an order has received too much, in the coin of one of its options, rounded down to its decimals. What a payer was asked for is
 * rounded up, and never makes one of them. Atoms.
 */
export function excessOf({ over, under }: Share, amount: bigint, decimals: number): bigint {
  if (over <= under) return 0n
  const unit = smallestUnit(decimals)
  return (((over - under) * amount) / under / unit) * unit
}

/** A decimal of 18 places, rounded down. */
export function shareText({ over, under }: Share): string {
  const digits = ((over * 10n ** BigInt(SHARE_PLACES)) / under).toString().padStart(SHARE_PLACES + 1, '0')
  return `${digits.slice(0, -SHARE_PLACES)}.${digits.slice(-SHARE_PLACES)}`
}

const SHARE_PLACES = 18
const WHOLE = 10_000n

/** An invoice of an order, as readers are told of it. */
export interface ToldOption {
  readonly invoice: { readonly amount: string }
  /** What has come for it alone. */
  readonly own: Pick<Payment, 'received' | 'pending'>
  /** By the clock. */
  readonly voidedAt: number | null
}

/** What readers are told of an order. */
export interface OrderState {
  readonly status: OrderStatus
  /** By the clock. */
  readonly voidedAt: number | null
  /** A decimal of 18 places, rounded down. */
  readonly paidFraction: string
  /** What still completes it in the coin of each option: decimal strings. */
  readonly remaining: readonly string[]
}

/** What is told of an order with its invoices, in the order of its options, at a moment. */
export function orderState(order: Order, told: readonly ToldOption[], nowMs: number): OrderState {
  const portions = told.map(portionOf)
  const share = shareOf(portions)
  const ends = told.map(({ voidedAt }) => voidedAt)
  const voidedAt = orderVoidedAt(order, share, ends, nowMs)
  return {
    status: orderStatus({ ...order, voidedAt }, share),
    voidedAt,
    paidFraction: shareText(share),
    remaining: portions.map(({ amount }, i) => {
      const decimals = order.options[i]?.decimals ?? 0
      return formatAmount(order.acceptedAt === null ? remainingOf(share, amount, decimals) : 0n)
    }),
  }
}

function portionOf({ invoice, own }: ToldOption): Portion {
  const amount = parseInvoiceAmount(invoice.amount)
  if (amount === null) throw new Error('a stored invoice has no valid amount')
  return {
    amount,
    own: { confirmed: parseFormattedAmount(own.received), pending: parseFormattedAmount(own.pending) },
  }
}

/** What an order is for people, as of one moment. */
export const ORDER_STATUSES = ['unpaid', 'partly', 'paid', 'expired', 'void'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** Paid or accepted comes first, then what has come, and only then how it ended. `voidedAt`: by the clock. */
export function orderStatus(
  { acceptedAt, voidedAt, expiresAt }: Pick<Order, 'acceptedAt' | 'voidedAt' | 'expiresAt'>,
  share: Share,
): OrderStatus {
  const standing = acceptedAt === null ? standingOf(share) : 'paid'
  if (standing !== 'none') return standing
  if (voidedAt === null) return 'unpaid'
  return voidedAt >= expiresAt ? 'expired' : 'void'
}

/** When an order became void, by the clock: as soon as none of its invoices can be paid. `ends`: when each of them became void. */
export function orderVoidedAt(
  { acceptedAt, voidedAt, expiresAt }: Pick<Order, 'acceptedAt' | 'voidedAt' | 'expiresAt'>,
  share: Share,
  ends: readonly (number | null)[],
  nowMs: number,
): number | null {
  if (voidedAt !== null || acceptedAt !== null || isWhole(share) || ends.includes(null)) return voidedAt
  return expiresAt <= nowMs ? expiresAt : Math.max(...ends.map((end) => end ?? 0))
}

function sumOf(portions: readonly Portion[], part: (portion: Portion) => bigint): Share {
  let over = 0n
  let under = 1n
  for (const portion of portions) {
    over = over * portion.amount + part(portion) * under
    under *= portion.amount
  }
  return { over, under }
}
