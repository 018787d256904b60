import { type Currency, formatAmount, parseFormattedAmount } from './amount.js'
import type { Deposit } from './deposit.js'

/**
 * The payment of an invoice as the API shows it: decimal strings in the invoice's currency (decisions 4). Never stored.
 */
export interface Payment {
  readonly status: 'unpaid' | 'paid'
  /** Sum of the qualifying confirmed deposits. */
  readonly received: string
  /** Sum of the qualifying unconfirmed deposits. */
  readonly pending: string
  /** The missing part of the amount; `0` once paid. */
  readonly remaining: string
  /** What of its own money is beyond the amount. */
  readonly overpaid: string
  /** The part of `received` that is not matched to another invoice. */
  readonly own: string
}

/** Sums of deposits, in atoms. */
export interface Received {
  readonly confirmed: bigint
  readonly pending: bigint
}

/** The sums of the deposits that qualify for an invoice. */
export interface Sums extends Received {
  /** Of those that are not matched to another invoice. */
  readonly own: Received
}

/** An invoice is paid when its qualifying confirmed deposits sum to at least its amount (specification). */
export function isPaid(amount: bigint, confirmed: bigint): boolean {
  return confirmed >= amount
}

export function paymentOf(amount: bigint, { confirmed, pending, own }: Sums): Payment {
  const received = formatAmount(confirmed)
  return {
    status: isPaid(amount, confirmed) ? 'paid' : 'unpaid',
    received,
    pending: formatAmount(pending),
    remaining: formatAmount(confirmed < amount ? amount - confirmed : 0n),
    overpaid: formatAmount(own.confirmed > amount ? own.confirmed - amount : 0n),
    own: own.confirmed === confirmed ? received : formatAmount(own.confirmed),
  }
}

/** The payment of an invoice for programs and for people. */
export interface Payments {
  readonly payment: Payment
  /** The same of its own money alone: a wallet that is used again shows nobody what others paid. */
  readonly own: Payment
}

export function paymentsOf(amount: bigint, sums: Sums): Payments {
  const { confirmed, pending, own } = sums
  const payment = paymentOf(amount, sums)
  const isAllOwn = own.confirmed === confirmed && own.pending === pending
  return {
    payment,
    own: isAllOwn ? payment : paymentOf(amount, { confirmed: own.confirmed, pending: own.pending, own }),
  }
}

/** An accepted payment as the payer reads it: nothing is missing, and what fills the gap later is not too much. */
export function acceptedPayment(own: Payment): Payment {
  const filling = parseFormattedAmount(own.pending) - parseFormattedAmount(own.remaining)
  return { ...own, status: 'paid', remaining: '0', pending: formatAmount(filling > 0n ? filling : 0n) }
}

/** A deposit that qualifies for an invoice, confirmed or not, as the payer is shown it. */
export interface QualifyingDeposit extends Pick<Deposit, 'network' | 'txHash' | 'index' | 'receivedAt'> {
  /** A decimal string in the invoice's currency. */
  readonly amount: string
  readonly isConfirmed: boolean
  /** How many blocks confirm it so far; null once it is confirmed, and while its block is not known. */
  readonly confirmations: number | null
}

/** A deposit on an invoice's wallets in a currency that it does not ask for, and that no other invoice has matched. */
export interface StrayDeposit extends Pick<Deposit, 'network' | 'txHash'> {
  readonly currency: Currency
  /** A decimal string in its currency. */
  readonly amount: string
}

/**
 * How many blocks confirm a deposit so far: that at `height`, which holds it, and those up to the newest one, at `tip`. Null once it is
 * confirmed, and where no block holds it, as that which a gateway has reported.
 */
export function confirmationsOf(isConfirmed: boolean, height: number | null, tip: number | null): number | null {
  return isConfirmed || height === null || tip === null ? null : Math.max(0, tip - height + 1)
}
