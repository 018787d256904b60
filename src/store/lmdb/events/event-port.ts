import type { OwnerEvent } from '../../../domain/event.js'
import { type Outcome, refuse, succeed } from '../../../domain/failure.js'
import type { EventPort, Page, PageOf } from '../../store.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { ownerNoOf } from '../identities/identities.js'
import { endOf, numberKey, under } from '../tables/keys.js'
import {
  EVENT_ID_BYTES,
  EVENT_KEY_BYTES,
  idTextOfKey,
  positionOfKey,
  removedTo,
  removeEventsOfOwners,
} from './event-log.js'
import { shownEvent } from './event-rows.js'

const FIRST_ID = Buffer.alloc(EVENT_ID_BYTES)

/** Reads and shortens the logs of owners. What happens writes them. */
export class LmdbEvents implements EventPort {
  constructor(private readonly commits: CommitLoop) {}

  page(owner: string, { after, limit }: Page): Outcome<PageOf<OwnerEvent>> {
    const { snapshot } = this.commits
    const { ownerEvents } = snapshot.tables
    const ownerNo = ownerNoOf(snapshot, owner)
    if (ownerNo === undefined) return succeed({ items: [], next: null })
    const readTo = after === null ? null : Buffer.from(after, 'hex')
    const removed = removedTo(ownerEvents, ownerNo)
    if (readTo !== null && removed !== undefined && Buffer.compare(readTo, removed) < 0) return refuse('events_removed')
    const start = readTo === null ? under(ownerNo, FIRST_ID) : Buffer.concat([under(ownerNo, readTo), Buffer.of(0)])
    const end = endOf(numberKey(ownerNo), EVENT_KEY_BYTES + 1)
    const items: OwnerEvent[] = []
    for (const { key, value } of ownerEvents.getRange({ start, end, limit: limit + 1 })) {
      if (items.length === limit) return succeed({ items, next: items.at(-1)?.id ?? null })
      items.push(shownEvent(snapshot, idTextOfKey(key), positionOfKey(key).timeMs, value))
    }
    return succeed({ items, next: null })
  }

  removeBefore(timeMs: number, limit: number): Promise<number> {
    return this.commits.run((commit) => removeEventsOfOwners(commit, timeMs, limit))
  }
}
