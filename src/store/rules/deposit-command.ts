import { asideOf, type DepositAside, SET_ASIDE } from '../../domain/aside.js'
import type { EventOutcome } from '../../domain/ledger-fact.js'
import type { DepositCommand, DepositResult } from '../commands.js'
import type { Awaitable } from '../reading.js'
import type { EarlierAnswer } from './answered-events.js'
import { type Asking, ask } from './asking.js'

/** What a command that reports a deposit needs of an engine before the deposit is recorded. */
export interface DepositCommandWork {
  /** Unix ms. */
  readonly nowMs: number
  /** The answer to an event that was answered before, or cannot be; null for any other. */
  earlierAnswer(eventId: string): Awaitable<EarlierAnswer | null>
  /** Keeps a deposit whose recording failed. */
  putAside(aside: DepositAside): Awaitable<void>
  remember(eventId: string | null, outcome: EventOutcome): void
}

/**
 * The answer to a command whose deposit is not to be recorded: its event was answered before, or it is set aside, and its event is
 * answered as rejected. Null when it is to be recorded.
 */
export function* answerUnrecorded(
  work: DepositCommandWork,
  { eventId, fact, aside }: DepositCommand,
): Asking<DepositResult | null> {
  const earlier = eventId === null ? null : yield* ask(work.earlierAnswer(eventId))
  if (earlier !== null) return answerAgain(earlier)
  if (aside === undefined) return null
  yield* ask(work.putAside(asideOf(fact, aside, work.nowMs)))
  work.remember(eventId, SET_ASIDE)
  return { type: 'deposit', outcome: SET_ASIDE, owed: [] }
}

/** The answer to a report whose event was answered before. */
export function answerAgain(earlier: EarlierAnswer): DepositResult {
  const outcome = earlier.status === 'duplicate' ? { ...earlier, deposit: null } : earlier
  return { type: 'deposit', outcome, owed: [] }
}
