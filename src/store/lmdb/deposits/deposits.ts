import type { Sighting } from '../../../domain/deposit.js'
import type { DepositFact } from '../../../domain/ledger-fact.js'
import { answeredNow } from '../../rules/asking.js'
import { type DepositJudge, type RecordedDeposit, rejected } from '../../rules/judge-report.js'
import { SETTLED_PLACES_MAX } from '../../rules/match-deposit.js'
import { DepositRule } from '../../rules/record-deposit.js'
import { endDepositAside } from '../chain/aside-rows.js'
import type { Commit } from '../commit/commit-loop.js'
import { findDeposit } from './deposit-rows.js'
import { LmdbDepositWork } from './deposit-work.js'

/** Records deposits in commits, by the rules of `rules/record-deposit.ts`. */
export class DepositRecorder {
  constructor(readonly judge: DepositJudge) {}

  /** Settles a bounded piece of what the choices for these deposits will meet; false when there is more: it waits for another commit. */
  settle(commit: Commit, sightings: Iterable<Sighting>): boolean {
    const budget = { left: SETTLED_PLACES_MAX }
    const rule = new DepositRule(new LmdbDepositWork(commit), this.judge.terms)
    for (const sighting of sightings) {
      if (this.judge.flawOf(sighting) !== null) continue
      if (!answeredNow(rule.settle(sighting, findDeposit(commit, sighting), budget))) return false
    }
    return true
  }

  record(commit: Commit, fact: DepositFact): RecordedDeposit {
    const { report, sighting } = fact
    const flaw = this.judge.flawOf(sighting)
    if (flaw !== null) return { outcome: rejected(flaw).outcome, owed: [] }
    const known = findDeposit(commit, sighting)
    const { outcome, change } = this.judge.judge(known?.deposit, fact, commit.nowMs)
    const work = new LmdbDepositWork(commit)
    if (change !== null) answeredNow(new DepositRule(work, this.judge.terms).record(change, known))
    endDepositAside(commit, sighting, report)
    return { outcome, owed: work.owed }
  }
}
