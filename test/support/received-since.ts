import type { Received, Sums } from '../../src/domain/payment.js'

/** A deposit as the paid status sees it. */
export interface CountedDeposit {
  readonly kind: 'pending' | 'confirmed' | 'dropped'
  readonly receivedAt: number
  /** Atoms. */
  readonly amount: bigint
}

/**
 * The definition of what an invoice received: the deposits to its wallets in its currency, received strictly after its
 * creation (specification, Invoice paid status). The store computes the same from running totals, and property tests
 * compare the two.
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

/** Sums of an invoice on wallets that nothing else was paid to: all of it is its own. */
export function ownSums(received: Received): Sums {
  return { ...received, own: received }
}
