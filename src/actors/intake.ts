import { type NameInNetwork, nameOf, WAITS } from '../domain/aside.js'
import type { ChainOutcome, ChainStep } from '../domain/block.js'
import type { DepositReport } from '../domain/deposit.js'
import type { DepositFact, EventOutcome, LedgerFact, UnreadableFact } from '../domain/ledger-fact.js'
import type { Network } from '../domain/network.js'
import type { OnOwed } from '../store/changes.js'
import {
  type ChainResult,
  type DepositResult,
  NONE_ASIDE,
  type StepAside,
  TrialPassed,
  Unsettled,
} from '../store/commands.js'
import type { LedgerPort } from '../store/ledger.js'
import { isOfStore } from '../store/refusals.js'
import { faultyParts } from './faulty-deposits.js'
import { MailboxFull, type WalletDirectory } from './wallet-directory.js'

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
  deposit?(observation: DepositObservation): void
  /** Deposits of a network were set aside, because recording them fails. */
  setAside?(network: Network, deposits: readonly SetAsideDeposit[]): void
}

/** A deposit that was set aside, and why. */
export interface SetAsideDeposit extends NameInNetwork {
  readonly error: unknown
}

/** Deposits that are recorded in one turn: the next ones of a push wait until these are durable. */
const DEPOSITS_TOGETHER_MAX = 256

/**
 * The only entry for facts from outside. Events are applied in order, whatever wallets they are about, and answered when they are durable.
 * Deposits take their turn in the mailboxes of all their wallets; facts about wallets and identities go to the store.
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
   * repeats. No deposit behind the one that could not be recorded has been recorded then.
   */
  async apply(events: readonly IncomingEvent[]): Promise<readonly EventOutcome[]> {
    const outcomes: EventOutcome[] = []
    while (outcomes.length < events.length) {
      const deposits: EventOf<DepositFact>[] = []
      const facts: EventOf<LedgerFact | UnreadableFact>[] = []
      const identities = new Set<string>()
      for (const { eventId, fact } of events.slice(outcomes.length)) {
        if ((fact.type === 'deposit' ? facts : deposits).length > 0 || deposits.length === DEPOSITS_TOGETHER_MAX) break
        // One fact may fail alone. The last keys that were told count, so those before them must have been taken.
        if (fact.type === 'identity.keys' && identities.has(fact.identity)) break
        if (fact.type === 'identity.keys') identities.add(fact.identity)
        if (fact.type === 'deposit') deposits.push({ eventId, fact })
        else facts.push({ eventId, fact })
      }
      outcomes.push(...(deposits.length > 0 ? await this.applyDeposits(deposits) : await this.applyFacts(facts)))
    }
    return outcomes
  }

  /**
   * Applies a step of a network's watcher as a whole, but for deposits whose recording fails: they are set aside. Rejects
   * without an effect if the store does or a mailbox is full; the watcher then repeats.
   */
  async observe(step: ChainStep): Promise<ChainOutcome> {
    const { network } = step
    const { outcome, owed } = await this.take(step).catch((error: unknown) => {
      for (const report of failedReports(step)) this.observer?.deposit?.({ network, report, outcome: 'failed' })
      throw error
    })
    const reports = outcome.status === 'applied' ? outcome.reports : []
    for (const one of reports) this.observer?.deposit?.({ network, report: one.report, outcome: one.outcome.status })
    if (owed.length > 0) this.onOwed(owed)
    return outcome
  }

  private async take(step: ChainStep): Promise<ChainResult> {
    try {
      return await this.takeSettled(step)
    } catch (error) {
      if (isToBeRepeated(error)) throw error
      const faulty = await this.faultyOf(step)
      // Nothing is known of the cause that would be better than the error itself.
      if (faulty === null || faulty.size === 0) throw error
      const aside = new Map([...faulty].map(([name, one]) => [nameOf(name), one.message]))
      const taken = await this.takeSettled(step, aside)
      this.observer?.setAside?.(
        step.network,
        [...faulty].map(([name, one]) => ({ ...name, error: one })),
      )
      return taken
    }
  }

  /** Lets those deposits of a step wait that cannot be recorded with the others. */
  private async takeSettled(step: ChainStep, aside: StepAside = NONE_ASIDE): Promise<ChainResult> {
    try {
      return await this.directory.takeChainStep(step, { aside })
    } catch (error) {
      if (!(error instanceof Unsettled)) throw error
      return this.takeSettled(step, new Map([...aside, ...error.deposits.map((name) => [name, WAITS] as const)]))
    }
  }

  /** The deposits of a step that make it fail; null when something else does. */
  private async faultyOf(step: ChainStep): Promise<ReadonlyMap<NameInNetwork, Error> | null> {
    const all = await this.directory.depositsOf(step)
    return faultyParts(all, async (some) => {
      const recorded = new Set(some.map(nameOf))
      const aside: StepAside = new Map(
        all.flatMap((name) => (recorded.has(nameOf(name)) ? [] : [[nameOf(name), null]])),
      )
      try {
        await this.directory.takeChainStep(step, { aside, isTrial: true })
      } catch (error) {
        if (error instanceof TrialPassed || error instanceof Unsettled) return null
        if (isToBeRepeated(error)) throw error
        return error instanceof Error ? error : new Error(String(error))
      }
      throw new Error('a trial was taken for good')
    })
  }

  private async applyFacts(facts: readonly EventOf<LedgerFact | UnreadableFact>[]): Promise<readonly EventOutcome[]> {
    const fates = await this.ledger.applyFacts(facts)
    return fates.map((fate) => {
      if (fate.status === 'rejected') throw fate.reason
      return fate.value
    })
  }

  private async applyDeposits(deposits: readonly EventOf<DepositFact>[]): Promise<readonly EventOutcome[]> {
    const fates = await this.recordOrSetAside(deposits)
    for (const [i, { fact }] of deposits.entries()) {
      const fate = fates[i]
      const outcome = fate?.status === 'fulfilled' ? fate.value.outcome.status : 'failed'
      this.observer?.deposit?.({ network: fact.sighting.network, report: fact.report, outcome })
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

  /** Sets a deposit aside whose recording fails, so that the others of its push are not repeated because of it. */
  private async recordOrSetAside(
    deposits: readonly EventOf<DepositFact>[],
  ): Promise<readonly PromiseSettledResult<DepositResult>[]> {
    const fates = [...(await this.directory.recordDeposits(deposits))]
    for (const [i, deposit] of deposits.entries()) {
      const fate = fates[i]
      if (fate?.status !== 'rejected' || isToBeRepeated(fate.reason)) continue
      const error: unknown = fate.reason
      const aside = error instanceof Error ? error.message : String(error)
      const [kept] = await this.directory.recordDeposits([{ ...deposit, aside }])
      if (kept === undefined) continue
      fates[i] = kept
      const { network, txHash, index } = deposit.fact.sighting
      if (kept.status === 'fulfilled') this.observer?.setAside?.(network, [{ txHash, index, error }])
    }
    return fates
  }
}

/** Whether an error says nothing about what was to be recorded. */
function isToBeRepeated(error: unknown): boolean {
  return error instanceof MailboxFull || isOfStore(error)
}

/** The reports that a failed step contained. */
function failedReports(step: ChainStep): readonly DepositReport[] {
  switch (step.type) {
    case 'append':
      return step.blocks.flatMap(({ transfers }) => transfers.map(() => (step.isConfirmed ? 'confirmed' : 'pending')))
    case 'confirm':
      return step.blocks.flatMap(({ transfers }) => transfers.map(() => 'confirmed' as const))
    case 'recover':
      return step.blocks[0].transfers.map(() => 'confirmed' as const)
    case 'retry':
      return step.deposits.map(({ report }) => report)
    case 'undo':
    case 'forget':
    case 'unreadable':
    case 'set_aside':
      return []
  }
}
