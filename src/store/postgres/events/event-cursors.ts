import type { EventCursor } from '../../event-outbox.js'
import type { CursorWork } from '../../rules/queue-events.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { idOf, numberOf } from './event-port.js'

/*
 * Up to where the events of owners have been queued. The row of an owner is locked before what events and deliveries lock at the end
 * of a unit.
 */

export interface CursorColumns {
  readonly after: bigint
  readonly until: bigint | null
}

const CURSOR_COLUMNS: Fragment = sql`c.after::numeric, c.until::numeric`

export function toCursor({ after, until }: CursorColumns): EventCursor {
  return { after: idOf(after), until: until === null ? null : idOf(until) }
}

/** What a unit of work does for the cursor of an owner. */
export class PostgresCursorWork implements CursorWork {
  constructor(protected readonly work: Work) {}

  async cursor(owner: string): Promise<EventCursor | undefined> {
    const row = await this.work.row<CursorColumns>(
      sql`SELECT ${CURSOR_COLUMNS} FROM event_cursors AS c WHERE c.owner = ${owner} FOR UPDATE`,
    )
    return row === undefined ? undefined : toCursor(row)
  }

  putCursor(owner: string, { after, until }: EventCursor): void {
    this.work.write(sql`
      INSERT INTO event_cursors (owner, after, until)
      VALUES (${owner}, ${numberOf(after)}::bigint, ${until === null ? null : numberOf(until)}::bigint)
      ON CONFLICT (owner) DO UPDATE SET after = excluded.after, until = excluded.until`)
  }

  endCursor(owner: string): void {
    endCursor(this.work, owner)
  }
}

export function endCursor(work: Work, owner: string): void {
  work.write(sql`DELETE FROM event_cursors WHERE owner = ${owner}`)
}

export function lockCursor(work: Work, owner: string): void {
  work.lock(sql`SELECT owner FROM event_cursors WHERE owner = ${owner} FOR UPDATE`)
}

/** Before an event of another store is put behind those that were sent: it is not sent itself (`passedOver`). */
export function passOver(work: Work, owner: string, id: string): void {
  const number = numberOf(id)
  work.write(sql`
    UPDATE event_cursors AS c SET after = ${number}::bigint WHERE c.owner = ${owner} AND c.after < ${number}::bigint
      AND NOT EXISTS (
        SELECT 1 FROM owner_events AS e WHERE e.owner = c.owner AND e.number > c.after AND e.number <= ${number}::bigint)`)
}
