import { formatAmount } from './amount.js'

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
  /** The part received beyond the amount; `0` unless paid. */
  readonly overpaid: string
}

/** The sums of the deposits that qualify for an invoice, in atoms. */
export interface Received {
  readonly confirmed: bigint
  readonly pending: bigint
}

/** An invoice is paid when its qualifying confirmed deposits sum to at least its amount (specification). */
export function isPaid(amount: bigint, confirmed: bigint): boolean {
  return confirmed >= amount
}

/** The missing part of the amount, in atoms; zero once paid. */
function remainingOf(amount: bigint, confirmed: bigint): bigint {
  return confirmed >= amount ? 0n : amount - confirmed
}

export function paymentOf(amount: bigint, received: Received): Payment {
  return {
    status: isPaid(amount, received.confirmed) ? 'paid' : 'unpaid',
    received: formatAmount(received.confirmed),
    pending: formatAmount(received.pending),
    remaining: formatAmount(remainingOf(amount, received.confirmed)),
    overpaid: formatAmount(received.confirmed > amount ? received.confirmed - amount : 0n),
  }
}
