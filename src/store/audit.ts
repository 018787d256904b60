import type { AuditEnd, AuditedAction, AuditRecord } from '../domain/audit.js'
import type { Awaitable, Page, PageOf } from './reading.js'

/**
 * What operators do. Actions that take a `trace`, the id of a record here, give it the outcome `done` in their own transaction: it
 * says so exactly when it has happened.
 */
export interface AuditPort {
  /** Records an action that is about to begin. */
  begin(action: AuditedAction): Promise<AuditRecord>
  /** Notes what came of an action, or that it goes on. */
  note(id: string, end: AuditEnd): Promise<void>
  /** Newest first; cursors are ids. */
  page(page: Page): Awaitable<PageOf<AuditRecord>>
  /** Removes at most `limit` records of actions that began before `timeMs`, Unix ms, oldest first. Answers how many it removed. */
  removeBefore(timeMs: number, limit: number): Promise<number>
}
