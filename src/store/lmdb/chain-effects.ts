import type { ChainOutcome, ChainReport } from '../../domain/block.js'
import type { DepositReport, Sighting } from '../../domain/deposit.js'
import type { EventOutcome } from '../../domain/ledger-fact.js'
import type { Network } from '../../domain/network.js'
import type { OwedDelivery } from '../outbox.js'
import type { DepositId } from './block-rows.js'
import type { DepositRows } from './deposit-rows.js'
import type { Deposits } from './deposits.js'

export interface TakenStep {
  readonly outcome: ChainOutcome
  readonly owed: readonly OwedDelivery[]
}

/** Gathers what a step does to deposits. */
export class ChainEffects {
  repaired = 0
  confirmedBlocksUndone = 0
  private confirmedDepositsDropped = 0
  private readonly reports: ChainReport[] = []
  private readonly owed: OwedDelivery[] = []

  constructor(
    private readonly network: Network,
    private readonly rows: DepositRows,
    private readonly deposits: Deposits,
    private readonly nowMs: number,
    private readonly newId: (nowMs: number) => Buffer,
  ) {}

  report(report: DepositReport, sighting: Sighting): EventOutcome['status'] {
    const { outcome, owed } = this.deposits.record({ type: 'deposit', report, sighting }, this.nowMs, this.newId)
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

  /** Takes back what was said of a deposit, and answers what it was. */
  retract({ txHash, index }: DepositId): DepositReport {
    const known = this.rows.find(this.network, txHash, index)
    if (known === undefined) throw new Error('a block holds a deposit that is not there')
    this.report('dropped', known)
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
