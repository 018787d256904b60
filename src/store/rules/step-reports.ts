import { type NameInNetwork, nameOf, WAITS } from '../../domain/aside.js'
import type { ChainReport } from '../../domain/block.js'
import type { DepositReport, Sighting } from '../../domain/deposit.js'
import type { EventOutcome } from '../../domain/ledger-fact.js'
import type { Network } from '../../domain/network.js'
import type { StepAside } from '../commands.js'
import type { OwedDelivery } from '../outbox.js'
import { type Asking, ask } from './asking.js'
import type { ChainWork, KnownDeposit } from './chain-work.js'

/** What a step reports of deposits, one after the other, with the outcomes and the deliveries that are owed. */
export class StepReports<Row extends KnownDeposit> {
  readonly reports: ChainReport[] = []
  /** The deliveries of each report; an engine may complete them with its commit. */
  readonly owed: (readonly OwedDelivery[])[] = []
  readonly waiting: NameInNetwork[] = []
  confirmedDepositsDropped = 0

  constructor(
    private readonly work: ChainWork<Row>,
    private readonly network: Network,
    private readonly aside: StepAside,
  ) {}

  *report(report: DepositReport, sighting: Sighting): Asking<EventOutcome['status']> {
    const { outcome, owed } = yield* ask(this.work.deposits.record(report, sighting))
    const { txHash, index } = sighting
    const reported = outcome.status === 'rejected' ? outcome : { status: outcome.status }
    this.reports.push({ report, txHash, index, outcome: reported })
    this.owed.push(owed)
    return outcome.status
  }

  /** A deposit that a block held has disappeared. It waits for nothing: what waits is the same deposit in another block. */
  *drop(name: NameInNetwork): Asking<void> {
    const known = yield* ask(this.work.deposits.find(name))
    const doesWait = this.aside.get(nameOf(name)) === WAITS
    if (known !== undefined && !doesWait && (yield* this.keepsAside('dropped', known.deposit, null))) return
    if ((yield* this.retract(name)) === 'confirmed') this.confirmedDepositsDropped += 1
  }

  /** Takes back the reports of a deposit, and answers its kind before. */
  *retract(name: NameInNetwork): Asking<DepositReport> {
    const known = yield* ask(this.work.deposits.find(name))
    if (known === undefined) throw new Error('a block holds a deposit that is not there')
    yield* this.report('dropped', known.deposit)
    return known.deposit.kind
  }

  /** Sets a deposit aside whose recording is known to fail, or which waits; false for any other. */
  *keepsAside(report: DepositReport, seen: Sighting, height: number | null): Asking<boolean> {
    const { txHash, index, toAddress, currency, amount, receivedAt } = seen
    const error = this.aside.get(nameOf({ txHash, index }))
    if (error === undefined) return false
    const sighting = { network: this.network, txHash, index, toAddress, currency, amount, receivedAt }
    if (error !== null) {
      yield* ask(this.work.aside.putDeposit({ sighting, report, height, error, since: this.work.nowMs }))
    }
    if (error === WAITS) this.waiting.push({ txHash, index })
    else this.reports.push({ report, txHash, index, outcome: { status: 'rejected', error: `set aside: ${error}` } })
    return true
  }
}
