import { formatAmount } from './amount.js'

/** What came in for an invoice, as the API shows it: decimal strings in the invoice's currency (decisions 4). Never stored. */
export interface Payment {
  readonly status: 'unpaid' | 'paid'
  /** Sum of the qualifying confirmed deposits. */
  readonly received: string
  /** Sum of the qualifying unconfirmed deposits. */
  readonly pending: string
  /** What is missing; `0` once paid. */
  readonly remaining: string
  /** What came in beyond the amount; `0` unless paid. */
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

/** What is missing, in atoms; zero once paid. */
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

/** A deposit as the paid status sees it. */
export interface CountedDeposit {
  readonly kind: 'pending' | 'confirmed' | 'dropped'
  readonly receivedAt: number
  /** Atoms. */
  readonly amount: bigint
}

/**
 * The definition of what an invoice received, over the deposits to its wallets in its currency: those received strictly
 * after its creation (specification, Invoice paid status). The store answers the same from running totals; a property
 * test holds it to this.
 */
export function receivedSince(createdAt: number, deposits: Iterable<CountedDeposit>): Received {
  let confirmed = 0n
  let pending = 0n
  for (const deposit of deposits) {
    if (deposit.receivedAt <= createdAt) continue
    if (deposit.kind === 'confirmed') confirmed += deposit.amount
    else if (deposit.kind === 'pending') pending += deposit.amount
  }
  return { confirmed, pending }
}
