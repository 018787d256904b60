import type { IncomingEvent } from '../actors/intake.js'
import type { EventOutcome } from '../domain/ledger-fact.js'
import type { Network } from '../domain/network.js'

/**
 * Where a watcher tells what it saw: the intake. Resolves with one outcome for each event, in order, when all are
 * durable; only then may a watcher move on. Rejects when nothing or only a part could be kept: the watcher tells the
 * same again, and repetitions change nothing.
 */
export type Report = (events: readonly IncomingEvent[]) => Promise<readonly EventOutcome[]>

/** The port of everything that observes a network: the simulated ones and those that ask real nodes. */
export interface Watcher {
  readonly network: Network
  /** Begins to observe. Rejects when it cannot; nothing is under way then. */
  start(report: Report): Promise<void>
  /** Ends observing and resolves when nothing is under way. The report works until then. */
  stop(): Promise<void>
}
