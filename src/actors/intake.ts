import type { ChainOutcome, ChainStep } from '../domain/block.js'
import type { DepositReport } from '../domain/deposit.js'
import type { DepositFact, EventOutcome, LedgerFact, UnreadableFact } from '../domain/ledger-fact.js'
import type { Network } from '../domain/network.js'
import type { LedgerPort, OnOwed } from '../store/store.js'
import type { WalletDirectory } from './wallet-directory.js'

interface EventOf<Fact> {
  /** The sender's id of the event, by which a repetition is recognised; null if the fact identifies itself. */
  readonly eventId: string | null
  readonly fact: Fact
}

/** A fact from outside: from the gateway, a watcher, a follower or the sandbox. */
export type IncomingEvent = EventOf<LedgerFact | DepositFact | UnreadableFact>

/** The outcome of a report about a deposit. `failed`: it was not recorded, and its sender repeats it. */
export interface DepositObservation {
  readonly network: Network
  readonly report: DepositReport
  readonly outcome: EventOutcome['status'] | 'failed'
}

/** Observes reports about deposits, after their effects are durable. Must not throw. */
export interface IntakeObserver {
  deposit(observation: DepositObservation): void
}

/**
 * The only entry for facts from outside. Events are applied in order and answered when they are durable. Deposits take
 * their turn in the mailbox of their wallet; facts about wallets and identities go to the store.
 */
export class Intake {
  constructor(
    private readonly ledger: Pick<LedgerPort, 'applyFacts'>,
    private readonly directory: WalletDirectory,
    private readonly onOwed: OnOwed,
    private readonly observer?: IntakeObserver,
  ) {}

  /**
   * Returns one outcome for each event, in order. Rejects if the store does or a mailbox is full; the sender then
   * repeats.
   */
  async apply(events: readonly IncomingEvent[]): Promise<readonly EventOutcome[]> {
    const outcomes: EventOutcome[] = []
    while (outcomes.length < events.length) {
      const deposits: EventOf<DepositFact>[] = []
      const facts: EventOf<LedgerFact | UnreadableFact>[] = []
      for (const { eventId, fact } of events.slice(outcomes.length)) {
        if ((fact.type === 'deposit' ? facts : deposits).length > 0) break
        if (fact.type === 'deposit') deposits.push({ eventId, fact })
        else facts.push({ eventId, fact })
      }
      outcomes.push(...(deposits.length > 0 ? await this.applyDeposits(deposits) : await this.applyFacts(facts)))
    }
    return outcomes
  }

  /**
   * Applies a step of a network's watcher as a whole. Rejects without an effect if the store does or a mailbox is full;
   * the watcher then repeats.
   */
  async observe(step: ChainStep): Promise<ChainOutcome> {
    const { network } = step
    const { outcome, owed } = await this.directory.takeChainStep(step).catch((error: unknown) => {
      for (const report of failedReports(step)) this.observer?.deposit({ network, report, outcome: 'failed' })
      throw error
    })
    const reports = outcome.status === 'applied' ? outcome.reports : []
    for (const one of reports) this.observer?.deposit({ network, report: one.report, outcome: one.outcome.status })
    if (owed.length > 0) this.onOwed(owed)
    return outcome
  }

  private async applyFacts(facts: readonly EventOf<LedgerFact | UnreadableFact>[]): Promise<readonly EventOutcome[]> {
    const fates = await this.ledger.applyFacts(facts)
    return fates.map((fate) => {
      if (fate.status === 'rejected') throw fate.reason
      return fate.value
    })
  }

  private async applyDeposits(deposits: readonly EventOf<DepositFact>[]): Promise<readonly EventOutcome[]> {
    const fates = await this.directory.recordDeposits(deposits)
    for (const [i, { fact }] of deposits.entries()) {
      const fate = fates[i]
      const outcome = fate?.status === 'fulfilled' ? fate.value.outcome.status : 'failed'
      this.observer?.deposit({ network: fact.sighting.network, report: fact.report, outcome })
    }
    // New deliveries are announced even if a neighbour failed; otherwise they would wait for a restart.
    for (const fate of fates) {
      if (fate.status === 'fulfilled' && fate.value.owed.length > 0) this.onOwed(fate.value.owed)
    }
    return fates.map((fate) => {
      if (fate.status === 'rejected') throw fate.reason
      const { outcome } = fate.value
      return outcome.status === 'rejected' ? outcome : { status: outcome.status }
    })
  }
}

/** The reports that a failed step contained. */
function failedReports(step: ChainStep): readonly DepositReport[] {
  switch (step.type) {
    case 'append':
      return step.blocks.flatMap(({ transfers }) => transfers.map(() => (step.isConfirmed ? 'confirmed' : 'pending')))
    case 'confirm':
      return step.blocks.flatMap(({ transfers }) => transfers.map(() => 'confirmed' as const))
    case 'undo':
    case 'forget':
      return []
  }
}
