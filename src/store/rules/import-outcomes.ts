import type { Settled } from '../commands.js'
import type { ImportOutcome, ImportTerms } from '../imports.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'

/** What becomes of imported records. */

/** Without terms, an import takes what the API would. */
export const NO_IMPORT_TERMS: ImportTerms = { ofFormerOwners: false }

export const ADDED: ImportOutcome = { status: 'added' }
export const KNOWN: ImportOutcome = { status: 'known' }

export function refused(error: string): ImportOutcome {
  return { status: 'refused', error }
}

/** A record is refused. It is thrown, so that whatever was written of the record is undone. */
class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** The outcome of a record that stays as it is; throws for one that is refused. */
export function keptWhole(outcome: ImportOutcome): ImportOutcome {
  if (outcome.status === 'refused') throw new Refusal(outcome.error)
  return outcome
}

/** The fate of a record whose outcome went through `keptWhole`. */
export function withRefusal(fate: Settled<ImportOutcome>): Settled<ImportOutcome> {
  if (fate.status === 'fulfilled' || !(fate.reason instanceof Refusal)) return fate
  return { status: 'fulfilled', value: { status: 'refused', error: fate.reason.message } }
}

/** From when on every change of the records is an event: a check calls for those, and imports write none of their own. */
export interface LogWork {
  readClock(): Awaitable<number>
  /** Notes that changes before a time may be no events, Unix ms. It is noted once for all imports, and so comes last. */
  logFrom(timeMs: number): void
}

/** For what changes records that are there. */
export interface SilentWork extends LogWork {
  /** What is done from now on owes no webhooks, and is no event. */
  silence(): void
}

/** What happened up to now, or to a time that an imported record names, may be no event. */
export function* skipLogging(log: LogWork, ...timesMs: readonly number[]): Asking<void> {
  log.logFrom(Math.max(yield* ask(log.readClock()), ...timesMs) + 1)
}
