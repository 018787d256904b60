import type { CandidateSearch } from '../../src/domain/deposit.js'

/** A candidate for a deposit, in a list. Ids sort by age. */
export interface Listed {
  readonly id: string
  readonly amount: bigint
  readonly isUnpaid: boolean
  readonly isMatched: boolean
}

/** The searches over a list of candidates, for a deposit of `amount`. */
export function searchIn<T extends Listed>(candidates: readonly T[], amount: bigint): CandidateSearch<T> {
  const oldestFirst = [...candidates].sort((one, other) => (one.id < other.id ? -1 : 1))
  return {
    newestUnmatchedOfAmount: () => oldestFirst.findLast((one) => one.amount === amount && !one.isMatched) ?? null,
    oldestUnpaid: () => oldestFirst.find(({ isUnpaid }) => isUnpaid) ?? null,
    newest: () => oldestFirst.at(-1) ?? null,
  }
}
