import { isDeepStrictEqual } from 'node:util'
import { type AuditEnd, type AuditedAction, type AuditRecord, doneEnd } from '../../domain/audit.js'
import type { Outcome } from '../../domain/failure.js'
import type { ImportOutcome } from '../imports.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { ADDED, KNOWN, refused } from './import-outcomes.js'

/** What an engine does for the records of operators' actions, inside a transaction. */
export interface AuditWork {
  readClock(): Awaitable<number>
  /** A new id, which begins with the time of the transaction. */
  newId(): string
  find(id: string): Awaitable<AuditRecord | undefined>
  add(record: AuditRecord): void
  /** Gives a record its end. One that has been removed since stays away. */
  end(id: string, end: AuditEnd, endedAt: number | null): void
}

export function* beginAction(audit: AuditWork, action: AuditedAction): Asking<AuditRecord> {
  const at = yield* ask(audit.readClock())
  const record = { id: audit.newId(), at, ...action, outcome: null, detail: null, endedAt: null }
  audit.add(record)
  return record
}

/** Notes what came of an action. */
export function* noteEnd(audit: AuditWork, id: string, end: AuditEnd): Asking<void> {
  audit.end(id, end, end.outcome === null ? null : yield* ask(audit.readClock()))
}

/** Performs an action. If it is done, now or before, the record `trace` says so, and is written with it. */
export function* traced<T>(
  audit: AuditWork,
  trace: string | undefined,
  action: Asking<Outcome<T>>,
): Asking<Outcome<T>> {
  const outcome = yield* action
  if (outcome.ok && trace !== undefined) yield* noteEnd(audit, trace, doneEnd(outcome))
  return outcome
}

/** Adds a record of another store. */
export function* importAudit(audit: AuditWork, record: AuditRecord): Asking<ImportOutcome> {
  const known = yield* ask(audit.find(record.id))
  if (known !== undefined) return isDeepStrictEqual(known, record) ? KNOWN : refused('another record has its id')
  audit.add(record)
  return ADDED
}
