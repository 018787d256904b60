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

/*
 * Deposits are recorded in commits, by the rules of `rules/record-deposit.ts`.
 */

/** Settles a bounded piece of what the choices for these deposits will meet; answers those for which there is more. */
export function settleDeposits(
  commit: Commit,
  judge: DepositJudge,
  sightings: Iterable<Sighting>,
): ReadonlySet<Sighting> {
  const unsettled = new Set<Sighting>()
  const rule = new DepositRule(new LmdbDepositWork(commit), judge.terms, judge.choices())
  for (const sighting of judge.soundOf(sightings)) {
    if (!answeredNow(rule.settle(sighting, findDeposit(commit, sighting)))) unsettled.add(sighting)
  }
  return unsettled
}

/**
 * Records a report. It has only settled a piece of what a choice meets where `choices` name the deposit as unsettled: in a commit of one
 * report that piece can stay, and it is to be recorded in another; with others before it all is to be undone.
 */
export function recordDeposit(
  commit: Commit,
  judge: DepositJudge,
  fact: DepositFact,
  choices: Choices,
): RecordedDeposit {
  const find = (sighting: Sighting) => findDeposit(commit, sighting)
  const { isSound, outcome, change, known } = answeredNow(judgeReport(judge, fact, commit.nowMs, find))
  const work = new LmdbDepositWork(commit, judge.terms.areWalletsShared)
  if (change !== null) answeredNow(new DepositRule(work, judge.terms, choices).record(change, known))
  if (isSound && choices.unsettled.length === 0) endDepositAside(commit, fact.sighting, fact.report)
  return { outcome, owed: work.owed }
}
