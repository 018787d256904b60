import type { Sighting } from '../../../domain/deposit.js'
import type { DepositFact } from '../../../domain/ledger-fact.js'
import { answeredNow } from '../../rules/asking.js'
import { type DepositJudge, judgeReport, type RecordedDeposit } from '../../rules/judge-report.js'
import type { Choices } from '../../rules/match-deposit.js'
import { DepositRule } from '../../rules/record-deposit.js'
import { endDepositAside } from '../chain/aside-rows.js'
import type { Commit } from '../commit/commit.js'
import { findDeposit } from './deposit-rows.js'
import { LmdbDepositWork } from './deposit-work.js'

/** Records deposits in commits, by the rules of `rules/record-deposit.ts`. */
export class DepositRecorder {
  constructor(readonly judge: DepositJudge) {}

  /** Settles a bounded piece of what the choices for these deposits will meet; answers those for which there is more. */
  settle(commit: Commit, sightings: Iterable<Sighting>): ReadonlySet<Sighting> {
    const unsettled = new Set<Sighting>()
    const rule = new DepositRule(new LmdbDepositWork(commit), this.judge.terms, this.judge.choices())
    for (const sighting of this.judge.soundOf(sightings)) {
      if (!answeredNow(rule.settle(sighting, findDeposit(commit, sighting)))) unsettled.add(sighting)
    }
    return unsettled
  }

  /**
   * Records a report. It has only settled a piece of what a choice meets where `choices` name the deposit as unsettled: in a commit of one
   * report that piece can stay, and it is to be recorded in another; with others before it all is to be undone.
   */
  record(commit: Commit, fact: DepositFact, choices: Choices): RecordedDeposit {
    const find = (sighting: Sighting) => findDeposit(commit, sighting)
    const { isSound, outcome, change, known } = answeredNow(judgeReport(this.judge, fact, commit.nowMs, find))
    const work = new LmdbDepositWork(commit, this.judge.terms.areWalletsShared)
    if (change !== null) answeredNow(new DepositRule(work, this.judge.terms, choices).record(change, known))
    if (isSound && choices.unsettled.length === 0) endDepositAside(commit, fact.sighting, fact.report)
    return { outcome, owed: work.owed }
  }
}
