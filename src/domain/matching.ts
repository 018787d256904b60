/**
 * Where the invoice that a deposit notifies is looked for (decisions 6). Every search looks among the candidates only:
 * invoices on the destination wallet that belong to its present owner, have a reference and a callback that resolves,
 * ask the deposit's currency, were created before the deposit was received, and are not void.
 *
 * `T` is what a store names an invoice by.
 */
export interface CandidateSearch<T> {
  /** The newest one that asks exactly the deposit's amount and that no deposit has matched, paid or not. */
  newestUnmatchedOfAmount(): T | null
  /** The oldest unpaid one. */
  oldestUnpaid(): T | null
  /** The newest one, paid or not. */
  newest(): T | null
}

/**
 * Chooses the invoice that a deposit notifies, or null when there is no candidate. The amount says which invoice is
 * meant, because unpaid amounts on a wallet are kept apart; what others paid to a shared wallet does not change it. A later
 * search runs only when the earlier ones found nothing. Payment sums do not depend on the choice.
 */
export function chooseInvoice<T>(search: CandidateSearch<T>): T | null {
  return search.newestUnmatchedOfAmount() ?? search.oldestUnpaid() ?? search.newest()
}
