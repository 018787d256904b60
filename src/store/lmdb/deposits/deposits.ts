import { type DepositOutcome, flawOf, type Sighting } from '../../../domain/deposit.js'
import type { DepositFact } from '../../../domain/ledger-fact.js'
import type { TokenDecimals } from '../../../domain/network.js'
import type { OwedDelivery } from '../../outbox.js'
import { answeredNow } from '../../rules/asking.js'
import { conflictWith, judgeReport, rejected } from '../../rules/judge-report.js'
import { SETTLED_PLACES_MAX } from '../../rules/match-deposit.js'
import { DepositRule } from '../../rules/record-deposit.js'
import { endDepositAside } from '../chain/aside-rows.js'
import type { Commit } from '../commit/commit-loop.js'
import { type DepositRow, findDeposit } from './deposit-rows.js'
import { LmdbDepositWork } from './deposit-work.js'

/** The outcome of a report, and the deliveries that it caused. */
export interface RecordedDeposit {
  readonly outcome: DepositOutcome
  readonly owed: readonly OwedDelivery[]
}

/** Records deposits in commits, by the rules of `rules/record-deposit.ts`. */
export class DepositRecorder {
  constructor(private readonly tokenDecimals: TokenDecimals) {}

  /** Settles a bounded piece of what the choices for these deposits will meet; false when there is more: it waits for another commit. */
  settle(commit: Commit, sightings: Iterable<Sighting>): boolean {
    const budget = { left: SETTLED_PLACES_MAX }
    const rule = new DepositRule(new LmdbDepositWork(commit), this.tokenDecimals)
    for (const sighting of sightings) {
      if (this.flawOf(sighting) !== null) continue
      if (!answeredNow(rule.settle(sighting, findDeposit(commit, sighting), budget))) return false
    }
    return true
  }

  record(commit: Commit, fact: DepositFact): RecordedDeposit {
    const { report, sighting } = fact
    const flaw = this.flawOf(sighting)
    if (flaw !== null) return { ...rejected(flaw), owed: [] }
    const known = findDeposit(commit, sighting)
    const { nowMs } = commit
    const { outcome, change } = judgeReport(known?.deposit, fact, { nowMs, tokenDecimals: this.tokenDecimals })
    const work = new LmdbDepositWork(commit)
    if (change !== null) answeredNow(new DepositRule(work, this.tokenDecimals).record(change, known))
    endDepositAside(commit, sighting, report)
    return { outcome, owed: work.owed }
  }

  /** Why a deposit cannot be recorded; null when it can. The names of a flawed one may not even fit into a key. */
  flawOf(sighting: Sighting): string | null {
    return flawOf(sighting, this.tokenDecimals)
  }

  /** What a sighting contradicts of a known deposit; null for nothing. */
  conflictWith(known: DepositRow | undefined, sighting: Sighting): ReturnType<typeof conflictWith> {
    return conflictWith(known?.deposit, sighting, this.tokenDecimals)
  }
}
