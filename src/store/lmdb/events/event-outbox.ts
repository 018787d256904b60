import { EVENT_TYPES } from '../../../domain/event.js'
import type { EventOutboxPort, OwnersBehind, QueuedEvents } from '../../event-outbox.js'
import type { OwedDelivery } from '../../outbox.js'
import { answeredNow } from '../../rules/asking.js'
import { type EventQueueWork, queueEvents } from '../../rules/queue-events.js'
import type { Commit } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { ownerNoOf } from '../identities/identities.js'
import { enqueueDelivery } from '../outbox/deliveries.js'
import type { OwnerNo } from '../tables/keys.js'
import { keptOf } from '../webhooks/webhook-configurations.js'
import { cursorCodec, cursorWork } from './event-cursors.js'
import { eventsBehind, idTextOfKey, lastEventOf, positionOfKey, removedTo } from './event-log.js'
import { loggedEvent } from './event-rows.js'

/** Queues the events of owners as deliveries. */
export class LmdbEventOutbox implements EventOutboxPort {
  constructor(private readonly commits: CommitLoop) {}

  behind(after: string | null, limit: number): OwnersBehind {
    const { snapshot } = this.commits
    const start = after === null ? {} : { start: Buffer.from(after, 'hex'), exclusiveStart: true }
    const rows = [...snapshot.tables.eventCursors.getRange({ ...start, limit })]
    const owners: string[] = []
    for (const { key, value } of rows) {
      const cursor = cursorCodec.decode(value)
      const last = lastEventOf(snapshot, key.readUInt32BE(0) as OwnerNo)?.toString('hex') ?? cursor.after
      if (last > cursor.after) owners.push(cursor.owner)
    }
    const next = rows.length < limit ? undefined : rows.at(-1)
    return { owners, next: next?.key.toString('hex') ?? null }
  }

  queueNext(owner: string, limit: number): Promise<QueuedEvents> {
    return this.commits.runAdmitted((commit) => {
      const owed: OwedDelivery[] = []
      return { owed, ...answeredNow(queueEvents(workOf(commit, owed), owner, limit)) }
    })
  }
}

function workOf(commit: Commit, owed: OwedDelivery[]): EventQueueWork {
  return {
    ...cursorWork(commit),
    settings: (owner) => keptOf(commit, owner) ?? { callbackUrl: null, types: EVENT_TYPES },
    log: (owner, after, limit) => {
      const ownerNo = ownerNoOf(commit, owner)
      if (ownerNo === undefined) return { events: [], removedTo: null }
      const rows = [...eventsBehind(commit, ownerNo, Buffer.from(after, 'hex'), limit)]
      return {
        events: rows.map(({ key, value }) => loggedEvent(commit, idTextOfKey(key), positionOfKey(key).timeMs, value)),
        removedTo: removedTo(commit.tables.ownerEvents, ownerNo)?.toString('hex') ?? null,
      }
    },
    owe: (delivery) => owed.push(enqueueDelivery(commit, delivery)),
  }
}
