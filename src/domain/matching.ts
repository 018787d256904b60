/**
 * An invoice that a deposit may notify: on the destination wallet, with a reference, of the deposit's currency, with a
 * callback that resolves, created before the deposit was received (decisions 6).
 */
export interface Candidate {
  /** Time-ordered, so it tells older from newer. */
  readonly id: string
  /** Atoms still missing; zero when paid. */
  readonly remaining: bigint
}

/**
 * Which invoice a deposit notifies: the newest unpaid one whose remaining amount equals the deposit's; else the oldest
 * unpaid one; else the newest one (decisions 6). Payment sums do not depend on the choice.
 *
 * The order of `candidates` does not matter. A store may pass only some of the candidates as long as the winner of each
 * of the three rules is among them.
 */
export function matchDeposit(atoms: bigint, candidates: Iterable<Candidate>): Candidate | null {
  let exact: Candidate | null = null
  let oldestUnpaid: Candidate | null = null
  let newest: Candidate | null = null
  for (const candidate of candidates) {
    if (newest === null || candidate.id > newest.id) newest = candidate
    if (candidate.remaining === 0n) continue
    if (oldestUnpaid === null || candidate.id < oldestUnpaid.id) oldestUnpaid = candidate
    if (candidate.remaining === atoms && (exact === null || candidate.id > exact.id)) exact = candidate
  }
  return exact ?? oldestUnpaid ?? newest
}
