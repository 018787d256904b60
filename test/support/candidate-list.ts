import assert from 'node:assert/strict'
import { answeredNow } from '../../src/store/rules/asking.js'
import type { Standing } from '../../src/store/rules/invoice-life.js'
import {
  BOUNDLESS,
  type CandidateSearch,
  chooseInvoice,
  type DepositSearch,
  UNSETTLED,
} from '../../src/store/rules/match-deposit.js'

/** A candidate for a deposit, in a list. Ids sort by age. */
export interface Listed {
  readonly id: string
  readonly amount: bigint
  readonly isUnpaid: boolean
  readonly isMatched: boolean
}

/** Searches over a list of candidates, all of them open in one set of wallets, for a deposit of `amount`. What was asked is noted. */
export class CandidateList implements CandidateSearch<Listed, Listed> {
  readonly asked: string[] = []
  private readonly oldestFirst: readonly Listed[]
  private readonly settled = new Set<Listed>()

  constructor(
    candidates: readonly Listed[],
    private readonly amount: bigint,
  ) {
    this.oldestFirst = candidates.toSorted((one, other) => this.byAge(one, other))
  }

  ofAmount(): readonly Listed[] {
    this.asked.push('amount')
    return this.oldestFirst.filter(({ amount }) => amount === this.amount)
  }

  isUnmatched({ isMatched }: Listed): boolean {
    return !isMatched
  }

  heads(): readonly Listed[] {
    this.asked.push('heads')
    return this.oldestFirst.filter((one) => !this.settled.has(one)).slice(0, 1)
  }

  next(head: Listed): Listed | null {
    return this.oldestFirst[this.oldestFirst.indexOf(head) + 1] ?? null
  }

  invoiceOf(head: Listed): Listed {
    return head
  }

  settleIfPaid(one: Listed): Standing {
    if (!one.isUnpaid) this.settled.add(one)
    return one.isUnpaid ? 'open' : 'paid'
  }

  isUnpaid({ isUnpaid }: Listed): boolean {
    return isUnpaid
  }

  placesOf(): number {
    return 1
  }

  newest(): Listed | null {
    this.asked.push('newest')
    return this.oldestFirst.at(-1) ?? null
  }

  byAge(one: Listed, other: Listed): number {
    return one.id < other.id ? -1 : 1
  }

  /** How many were settled. */
  get settledCount(): number {
    return this.settled.size
  }
}

/** The searches of a deposit that has candidates of these kinds. None asks for a void invoice. */
export function searchOf(...kinds: readonly CandidateList[]): DepositSearch<Listed, Listed> {
  return { kinds, lastVoid: () => assert.fail('a deposit asked for a void invoice') }
}

/** The name of the candidate that a deposit of `amount` notifies. */
export function chosenOf(candidates: readonly Listed[], amount: bigint): string | null {
  const match = answeredNow(chooseInvoice(searchOf(new CandidateList(candidates, amount)), null, { left: BOUNDLESS }))
  assert.notEqual(match, UNSETTLED)
  return match === UNSETTLED ? null : (match?.invoice.id ?? null)
}
