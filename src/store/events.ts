import type { ExportedEvent, OwnerEvent } from '../domain/event.js'
import type { Outcome } from '../domain/failure.js'
import type { Awaitable, Page, PageOf } from './reading.js'

/** What happened to owners. It is written with what it tells. */
export interface EventPort {
  /**
   * The events of an owner behind `after`, oldest first; cursors are ids of events. Refuses with `events_removed` when
   * events behind `after` have been removed.
   */
  page(owner: string, page: Page): Awaitable<Outcome<PageOf<OwnerEvent>>>
  /** The same for an export. Where events have been removed, it says so and goes on behind them. */
  log(owner: string, page: Page): Awaitable<PageOf<ExportedEvent>>
  /**
   * Removes at most `limit` events from before `timeMs`, Unix ms, and answers how many it removed. It visits a bounded number of
   * owners and goes on with the next ones; behind the last owner it starts over.
   */
  removeBefore(timeMs: number, limit: number): Promise<number>
}
