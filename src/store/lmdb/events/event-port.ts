import type { Slice } from '../../../base/turns.js'
import { EVENTS_REMOVED, type ExportedEvent, type OwnerEvent } from '../../../domain/event.js'
import { type Outcome, refuse, succeed } from '../../../domain/failure.js'
import { NO_ORDER_FIELDS } from '../../../domain/order-fields.js'
import type { EventPort } from '../../events.js'
import type { Page, PageOf } from '../../reading.js'
import type { Snapshot } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { ownerNoOf } from '../identities/identities.js'
import type { OwnerNo } from '../tables/keys.js'
import { eventsBehind, idTextOfKey, positionOf, positionOfKey, removedTo, removeEventsBefore } from './event-log.js'
import { shownEvent } from './event-rows.js'

/** Reads and shortens the logs of owners. What happens writes them. */
export class LmdbEvents implements EventPort {
  constructor(private readonly commits: CommitLoop) {}

  page(owner: string, { after, limit, slice }: Page): Outcome<PageOf<OwnerEvent>> {
    const { snapshot } = this.commits
    const ownerNo = ownerNoOf(snapshot, owner)
    if (ownerNo === undefined) return succeed({ items: [], next: null })
    const readTo = after === null ? null : Buffer.from(after, 'hex')
    if (readTo !== null && removalBehind(snapshot, ownerNo, readTo) !== null) return refuse('events_removed')
    return succeed(shownBehind(snapshot, ownerNo, readTo, { limit, slice }))
  }

  log(owner: string, { after, limit, slice }: Page): PageOf<ExportedEvent> {
    const { snapshot } = this.commits
    const ownerNo = ownerNoOf(snapshot, owner)
    if (ownerNo === undefined) return { items: [], next: null }
    const readTo = after === null ? null : Buffer.from(after, 'hex')
    const removed = removalBehind(snapshot, ownerNo, readTo)
    if (removed !== null) return { items: [removal(owner, removed)], next: removed.toString('hex') }
    const { items, next } = shownBehind(snapshot, ownerNo, readTo, { limit, slice })
    return { items: items.map((event) => ({ owner, ...event })), next }
  }

  removeBefore(timeMs: number, limit: number): Promise<number> {
    return this.commits.run((commit) => removeEventsBefore(commit, timeMs, limit))
  }
}

/** The last event that was removed, if it stood behind the one that was read last. */
function removalBehind({ tables }: Snapshot, ownerNo: OwnerNo, readTo: Buffer | null): Buffer | null {
  const removed = removedTo(tables.ownerEvents, ownerNo)
  return removed === undefined || (readTo !== null && Buffer.compare(readTo, removed) >= 0) ? null : removed
}

function shownBehind(
  snapshot: Snapshot,
  ownerNo: OwnerNo,
  readTo: Buffer | null,
  { limit, slice }: { readonly limit: number; readonly slice: Slice | undefined },
): PageOf<OwnerEvent> {
  const items: OwnerEvent[] = []
  for (const { key, value } of eventsBehind(snapshot, ownerNo, readTo, limit + 1)) {
    if (items.length === limit || (items.length > 0 && slice?.isOver === true))
      return { items, next: items.at(-1)?.id ?? null }
    slice?.touch(1)
    items.push(shownEvent(snapshot, idTextOfKey(key), positionOfKey(key).timeMs, value))
  }
  return { items, next: null }
}

function removal(owner: string, id: Buffer): ExportedEvent {
  const nothing = { invoiceId: null, reference: null, deposit: null, delivery: null, ...NO_ORDER_FIELDS }
  return { owner, id: id.toString('hex'), type: EVENTS_REMOVED, at: positionOf(id).timeMs, ...nothing }
}
