import { formatAmount, parseFormattedAmount, parseInvoiceAmount } from '../domain/amount.js'
import type { Invoice } from '../domain/invoice.js'
import type { Order } from '../domain/order.js'
import { completionOf, type PaidOption } from '../domain/order-excess.js'
import { isWhole, orderVoidedAt, remainingOf, type Share, seenShareOf, shareOf } from '../domain/order-share.js'
import type { Payment, QualifyingDeposit } from '../domain/payment.js'
import { amountText } from './amount-text.js'
import { awaitedBy, NOTHING, type PaymentState } from './payment-state.js'
import type { Transactions } from './transactions.js'

/** Money of an option of an order: a decimal string in its coin. */
export interface OptionSum {
  /** Position of the option. */
  readonly option: number
  readonly amount: string
}

/** Sums in the coins of an order. */
export type OrderSums = readonly OptionSum[]

/** What of an option decides how its order stands. */
export interface PaymentOption extends Transactions {
  readonly invoice: Invoice
  /** What came for it alone. */
  readonly own: Payment
  /** When it became void or expired, Unix ms; null if it is not. */
  readonly voidedAt: number | null
  /** Decimal places to which what is asked for is rounded up. */
  readonly decimals: number
}

/** What is told of a deposit to one of the options. */
export interface OptionDeposit extends QualifyingDeposit {
  readonly option: number
}

/** How the payment of an order stands as its payer sees it. What was seen counts, so that nobody is asked to pay twice. */
export class OrderPayment {
  /** When it became void or expired, Unix ms; null while it is not, and when it is paid. */
  readonly closedAt: number | null
  /** Whether it is closed because its time is over. */
  readonly isExpired: boolean
  /** Positions of the options that can be paid; none if nothing is left to send. */
  readonly payable: readonly number[]
  /** When the deposit came that paid it, or when it was accepted, Unix ms; null if that is not known. */
  readonly paidAt: number | null
  /** Whether it is paid or accepted. */
  readonly isPaid: boolean
  private readonly seen: Share
  private readonly completion: ReturnType<typeof completionOf>
  private readonly paid: readonly PaidOption[]

  constructor(
    order: Pick<Order, 'acceptedAt' | 'voidedAt' | 'expiresAt'>,
    private readonly options: readonly PaymentOption[],
    private readonly nowMs: number,
  ) {
    this.paid = options.map(paidOption)
    const share = shareOf(this.paid)
    this.seen = seenShareOf(this.paid)
    this.isPaid = order.acceptedAt !== null || isWhole(share)
    const ends = options.map(({ voidedAt }) => voidedAt)
    this.closedAt = this.isPaid ? null : orderVoidedAt(order, share, ends, nowMs)
    this.isExpired = this.closedAt !== null && this.closedAt >= order.expiresAt
    this.completion = completionOf(this.paid)
    this.paidAt = this.isPaid ? (this.completion.completedAt ?? order.acceptedAt) : null
    const isAsked = !this.isPaid && this.closedAt === null && !isWhole(this.seen)
    this.payable = isAsked ? options.flatMap(({ voidedAt }, i) => (voidedAt === null ? [i] : [])) : []
  }

  /** The option that is shown: the one that was asked for, else one that something has come for, else the first. */
  chosen(asked: number | null): number {
    if (asked !== null && this.payable.includes(asked)) return asked
    return this.payable.find((option) => this.hasMoney(option)) ?? this.payable[0] ?? 0
  }

  /** Whether something has come for an option, so that it does not expire. */
  hasMoney(option: number): boolean {
    const { confirmed = 0n, pending = 0n } = this.paid[option]?.own ?? {}
    return confirmed + pending > 0n
  }

  /** What of an option's coin completes the order, where that coin has so many decimal places. */
  left(option: number, decimals: number): string {
    const { invoice, decimals: own } = this.optionAt(option)
    if (this.seen.over === 0n) return amountText(invoice, decimals)
    return formatAmount(remainingOf(this.seen, atomsOf(invoice.amount), Math.min(own, decimals)))
  }

  /** `missing`: what is left in the coin of the option that is shown. */
  state(missing: OptionSum): PaymentState<OrderSums> {
    const { completion } = this
    const excess = sumsOf(completion.excess)
    if (this.isPaid) {
      return excess === NOTHING ? { kind: 'paid' } : { kind: 'overpaid', excess, isPending: completion.isPending }
    }
    const received = sumsOf(this.paid.map(({ own }) => own.confirmed))
    const pending = sumsOf(this.paid.map(({ own }) => own.pending))
    if (this.closedAt !== null) return { kind: 'closed', received, pending }
    const seen = sumsOf(this.paid.map(({ own }) => own.confirmed + own.pending))
    if (seen === NOTHING) return { kind: 'nothing_seen', missing: [missing] }
    if (isWhole(this.seen)) return { kind: 'all_seen', seen, excess }
    return { kind: 'partly_seen', seen, missing: [missing], isPending: pending !== NOTHING }
  }

  /** What has come and is confirmed. */
  get received(): OrderSums | typeof NOTHING {
    return sumsOf(this.paid.map(({ own }) => own.confirmed))
  }

  /** What may still come, for which a closed order waits for `lateMs`. What fills the gap of an accepted one is nothing new. */
  awaited(lateMs: number): ReturnType<typeof awaitedBy> {
    const isPending = this.isPaid ? this.completion.isPending : this.options.some(({ own }) => own.pending !== NOTHING)
    const payment = { status: this.isPaid ? 'paid' : 'unpaid', pending: isPending ? 'some' : NOTHING } as const
    return awaitedBy(payment, this.closedAt, { nowMs: this.nowMs, lateMs })
  }

  private optionAt(option: number): PaymentOption {
    const found = this.options[option]
    if (found === undefined) throw new Error('an order does not have an option that is shown')
    return found
  }
}

/** The deposits of all options, newest first, as many as a page lists. */
export function newestOf(
  options: readonly Transactions[],
  max: number,
): { readonly deposits: readonly OptionDeposit[]; readonly hasMoreDeposits: boolean } {
  const all = options
    .flatMap(({ deposits }, option) => deposits.map((deposit) => ({ ...deposit, option })))
    .sort((a, b) => b.receivedAt - a.receivedAt)
  const hasMoreDeposits = all.length > max || options.some((one) => one.hasMoreDeposits)
  return { deposits: all.slice(0, max), hasMoreDeposits }
}

function paidOption({ invoice, own, deposits, decimals }: PaymentOption): PaidOption {
  const received = { confirmed: parseFormattedAmount(own.received), pending: parseFormattedAmount(own.pending) }
  return { amount: atomsOf(invoice.amount), own: received, decimals, deposits }
}

function sumsOf(atoms: readonly bigint[]): OrderSums | typeof NOTHING {
  const sums = atoms.flatMap((sum, option) => (sum > 0n ? [{ option, amount: formatAmount(sum) }] : []))
  return sums.length === 0 ? NOTHING : sums
}

function atomsOf(amount: string): bigint {
  const atoms = parseInvoiceAmount(amount)
  if (atoms === null) throw new Error('the amount of an invoice is not valid')
  return atoms
}
