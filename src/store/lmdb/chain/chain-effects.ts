import type { ChainOutcome, ChainReport } from '../../../domain/block.js'
import type { DepositReport, Sighting } from '../../../domain/deposit.js'
import type { EventOutcome } from '../../../domain/ledger-fact.js'
import type { Network } from '../../../domain/network.js'
import type { OwedDelivery } from '../../outbox.js'
import type { Commit } from '../commit/commit-loop.js'
import { findDeposit, toDeposit } from '../deposits/deposit-rows.js'
import type { DepositRecorder } from '../deposits/deposits.js'
import type { DepositId } from './block-rows.js'

export interface TakenStep {
  readonly outcome: ChainOutcome
  readonly owed: readonly OwedDelivery[]
}

/** Collects the effects of a step on deposits. */
export class ChainEffects {
  repaired = 0
  confirmedBlocksUndone = 0
  private confirmedDepositsDropped = 0
  private readonly reports: ChainReport[] = []
  private readonly owed: OwedDelivery[] = []

  constructor(
    private readonly commit: Commit,
    private readonly network: Network,
    private readonly deposits: DepositRecorder,
  ) {}

  report(report: DepositReport, sighting: Sighting): EventOutcome['status'] {
    const { outcome, owed } = this.deposits.record(this.commit, { type: 'deposit', report, sighting })
    const { txHash, index } = sighting
    const told = outcome.status === 'rejected' ? outcome : { status: outcome.status }
    this.reports.push({ report, txHash, index, outcome: told })
    this.owed.push(...owed)
    return outcome.status
  }

  /** A deposit that a block held has disappeared. */
  drop(id: DepositId): void {
    if (this.retract(id) === 'confirmed') this.confirmedDepositsDropped += 1
  }

  /** Takes back the reports of a deposit, and answers its kind before. */
  retract({ txHash, index }: DepositId): DepositReport {
    const known = findDeposit(this.commit, this.network, txHash, index)
    if (known === undefined) throw new Error('a block holds a deposit that is not there')
    this.report('dropped', toDeposit(known))
    return known.kind
  }

  taken(): TakenStep {
    const { reports, repaired, confirmedBlocksUndone, confirmedDepositsDropped } = this
    return {
      outcome: { status: 'applied', reports, repaired, confirmedBlocksUndone, confirmedDepositsDropped },
      owed: this.owed,
    }
  }
}
