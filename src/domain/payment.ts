import { formatAmount } from './amount.js'
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

export function paymentOf(amount: bigint, { confirmed, pending }: Received): Payment {
  return {
    status: isPaid(amount, confirmed) ? 'paid' : 'unpaid',
    received: formatAmount(confirmed),
    pending: formatAmount(pending),
    remaining: formatAmount(confirmed < amount ? amount - confirmed : 0n),
    overpaid: formatAmount(confirmed > amount ? confirmed - amount : 0n),
  }
}

/** A deposit that qualifies for an invoice, confirmed or not, as the payer is shown it. */
export interface QualifyingDeposit extends Pick<Deposit, 'network' | 'txHash' | 'index' | 'receivedAt'> {
  /** A decimal string in the invoice's currency. */
  readonly amount: string
  readonly isConfirmed: boolean
  /** How many blocks confirm it so far; null once it is confirmed, and while its block is not known. */
  readonly confirmations: number | null
}

/** How many blocks confirm what is in the block at `height`, its own included, when the newest block is at `tip`. */
export function confirmationsAt(tip: number, height: number): number {
  return Math.max(0, tip - height + 1)
}
