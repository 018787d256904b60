import type { EventType } from '../../../domain/event.js'
import type { NewDelivery } from '../../../domain/webhook.js'
import type { EventOutboxPort, OwnersBehind, QueuedEvents } from '../../event-outbox.js'
import type { OwedDelivery } from '../../outbox.js'
import { answeredLater } from '../../rules/asking.js'
import { type EventQueueWork, type EventSettings, type LogPiece, queueEvents } from '../../rules/queue-events.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { typesOf } from '../webhooks.js'
import { PostgresCursorWork } from './event-cursors.js'
import { EVENT_COLUMNS, EVENT_SUBJECTS, type EventColumns, idOf, numberOf, toEvent } from './event-port.js'

/** Queues the events of owners as deliveries. */
export class PostgresEventOutbox implements EventOutboxPort {
  constructor(private readonly database: Database) {}

  /** Visits the owners whose events are sent, and nobody else. */
  async behind(after: string | null, limit: number): Promise<OwnersBehind> {
    const rows = await this.database.readPage<{ owner: string; is_behind: boolean }>(sql`
      SELECT c.owner, coalesce(h.last > c.after, false) AS is_behind
      FROM event_cursors AS c LEFT JOIN event_heads AS h ON h.owner = c.owner
      WHERE c.owner > ${after ?? ''} ORDER BY c.owner LIMIT ${limit}::bigint`)
    const owners = rows.filter(({ is_behind }) => is_behind).map(({ owner }) => owner)
    return { owners, next: rows.length < limit ? null : (rows.at(-1)?.owner ?? null) }
  }

  /** What it owes is complete with the commit. */
  async queueNext(owner: string, limit: number): Promise<QueuedEvents> {
    return await this.database.write(async (work) => {
      const owed: OwedDelivery[] = []
      const queued = await answeredLater(queueEvents(new PostgresEventQueueWork(work, owed), owner, limit))
      // New deliveries have the time of the unit.
      await work.readClock()
      return { owed, ...queued }
    })
  }
}

interface LoggedColumns {
  readonly removed_to: bigint | null
  /** Null where there is no event: the row only says what was removed. */
  readonly number: bigint | null
  readonly callback_url: string | null
}

class PostgresEventQueueWork extends PostgresCursorWork implements EventQueueWork {
  constructor(
    work: Work,
    private readonly owed: OwedDelivery[],
  ) {
    super(work)
  }

  async settings(owner: string): Promise<EventSettings> {
    const row = await this.work.row<{ callback_url: string | null; types: string | null }>(
      sql`SELECT callback_url, types FROM webhooks WHERE owner = ${owner}`,
    )
    return { callbackUrl: row?.callback_url ?? null, types: typesOf(row?.types ?? null) }
  }

  /** One statement: a removal between two would be told where there is none, or not where there is one. */
  async log(owner: string, after: string, limit: number): Promise<LogPiece> {
    const rows = await this.work.rows<LoggedColumns & Omit<EventColumns, 'number'> & { readonly type: EventType }>(sql`
      SELECT h.removed_to::numeric, ${EVENT_COLUMNS},
        CASE WHEN o.id IS NULL THEN i.callback_url ELSE o.callback_url END AS callback_url
      FROM event_heads AS h
      LEFT JOIN LATERAL (
        SELECT * FROM owner_events AS e WHERE e.owner = h.owner AND e.number > ${numberOf(after)}::bigint
        ORDER BY e.number LIMIT ${limit}::bigint
      ) AS e ON true
      ${EVENT_SUBJECTS}
      WHERE h.owner = ${owner} ORDER BY e.number`)
    const removedTo = rows[0]?.removed_to ?? null
    return {
      events: rows.flatMap(({ number, callback_url: callbackUrl, ...row }) =>
        number === null ? [] : { event: toEvent({ number, ...row }), callbackUrl },
      ),
      removedTo: removedTo === null ? null : idOf(removedTo),
    }
  }

  owe(delivery: NewDelivery): void {
    this.work.enqueue(() => delivery, this.owed)
  }
}
