/**
 * Searches for the invoice that a deposit notifies (decisions 6). Candidates are the invoices on the destination wallet
 * that belong to its present owner, have a reference and a callback that resolves, are in the deposit's currency, were
 * created before the deposit was received, and are not void.
 *
 * `T` is how a store identifies an invoice.
 */
export interface CandidateSearch<T> {
  /** The newest candidate of exactly the deposit's amount that no deposit has matched, paid or not. */
  newestUnmatchedOfAmount(): T | null
  /** The oldest unpaid candidate. */
  oldestUnpaid(): T | null
  /** The newest candidate, paid or not. */
  newest(): T | null
}

/**
 * Chooses the invoice that a deposit notifies; null without a candidate. The amount identifies the invoice, because
 * unpaid amounts on a wallet are distinct; what others paid to a shared wallet does not matter. A later search runs
 * only if the earlier ones found nothing. Payment sums do not depend on the choice.
 */
export function chooseInvoice<T>(search: CandidateSearch<T>): T | null {
  return search.newestUnmatchedOfAmount() ?? search.oldestUnpaid() ?? search.newest()
}
