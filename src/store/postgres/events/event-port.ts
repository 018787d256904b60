import { EVENTS_REMOVED, type EventType, type ExportedEvent, type OwnerEvent } from '../../../domain/event.js'
import { type Outcome, refuse, succeed } from '../../../domain/failure.js'
import { NO_ORDER_FIELDS } from '../../../domain/order-fields.js'
import type { EventPort } from '../../events.js'
import type { Page, PageOf } from '../../reading.js'
import { answeredLater } from '../../rules/asking.js'
import { type OldEvents, removeOldEvents } from '../../rules/remove-events.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import { type OrderColumns, toOrder } from '../invoices/order-columns.js'
import { deliveryIn, readDepositData } from './event-data.js'
import { NUMBERS_PER_MS } from './event-log.js'

const ID_HEX_LENGTH = 16
const NOTHING = { invoiceId: null, reference: null, deposit: null, delivery: null, ...NO_ORDER_FIELDS }

export interface EventColumns extends OrderColumns {
  readonly number: bigint
  readonly type: EventType
  readonly data: string | null
  readonly invoice_id: string | null
  readonly imported_as: string | null
  readonly reference: string | null
  /** The order that it is about, or that of its invoice. */
  readonly order_id: string | null
}

/** What an event tells, of `owner_events AS e`, `invoices AS i` and `orders AS o`. */
export const EVENT_COLUMNS = sql`e.number::numeric, e.type, e.data, e.invoice_id, i.imported_as,
  coalesce(e.order_id, i.order_id) AS order_id,
  CASE WHEN o.id IS NULL THEN i.reference ELSE o.reference END AS reference,
  CASE WHEN o.id IS NULL THEN i.return_url ELSE o.return_url END AS return_url,
  CASE WHEN o.id IS NULL THEN i.order_number ELSE o.order_number END AS order_number,
  CASE WHEN o.id IS NULL THEN i.metadata ELSE o.metadata END AS metadata`

/** The invoice and the order of an event. */
export const EVENT_SUBJECTS = sql`LEFT JOIN invoices AS i ON i.id = e.invoice_id LEFT JOIN orders AS o ON o.id = e.order_id`

/** Reads and shortens the logs of owners. What happens writes them. */
export class PostgresEvents implements EventPort {
  /** The owner up to whom events have been removed in this round. */
  private removedTo: string | null = null

  constructor(private readonly database: Database) {}

  async page(owner: string, { after, limit }: Page): Promise<Outcome<PageOf<OwnerEvent>>> {
    const readTo = after === null ? -1n : numberOf(after)
    const rows = await this.database.readPage<EventColumns>(sql`
      SELECT ${EVENT_COLUMNS} FROM owner_events AS e ${EVENT_SUBJECTS}
      WHERE e.owner = ${owner} AND e.number > ${readTo}::bigint ORDER BY e.number LIMIT ${limit + 1}::bigint`)
    // Read behind the events: what was removed meanwhile must not be missing from the page unnoticed.
    const removedTo = await this.removedToOf(owner)
    if (after !== null && removedTo !== null && readTo < removedTo) return refuse('events_removed')
    const items = rows.slice(0, limit).map(toEvent)
    return succeed({ items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null })
  }

  async log(owner: string, { after, limit }: Page): Promise<PageOf<ExportedEvent>> {
    const readTo = after === null ? -1n : numberOf(after)
    const removedTo = await this.removedToOf(owner)
    if (removedTo !== null && readTo < removedTo) {
      const id = idOf(removedTo)
      return { items: [{ owner, id, type: EVENTS_REMOVED, at: timeOf(removedTo), ...NOTHING }], next: id }
    }
    const page = await this.page(owner, { after, limit })
    // Removed since: the next reading says so.
    if (!page.ok) return this.log(owner, { after, limit })
    return { ...page.value, items: page.value.items.map((event) => ({ owner, ...event })) }
  }

  async removeBefore(timeMs: number, limit: number): Promise<number> {
    const before = BigInt(timeMs) * NUMBERS_PER_MS
    const logs: OldEvents<string> = {
      ownerBehind: async (owner) => {
        const next = await this.database.readOne<{ owner: string }>(
          sql`SELECT owner FROM event_heads WHERE owner > ${owner ?? ''} ORDER BY owner LIMIT 1`,
        )
        return next?.owner ?? null
      },
      remove: (owner, most) => this.removeOf(owner, before, most),
    }
    const { removed, doneTo } = await answeredLater(removeOldEvents(logs, this.removedTo, limit))
    this.removedTo = doneTo
    return removed
  }

  /** The number of the last event of an owner that was removed; null when none was. */
  private async removedToOf(owner: string): Promise<bigint | null> {
    const head = await this.database.readOne<{ removed_to: bigint | null }>(
      sql`SELECT removed_to::numeric FROM event_heads WHERE owner = ${owner}`,
    )
    return head?.removed_to ?? null
  }

  private removeOf(owner: string, before: bigint, limit: number): Promise<number> {
    return this.database.writeRequested(async (work) => {
      const old = await work.rows<{ number: bigint }>(sql`
        SELECT number::numeric FROM owner_events WHERE owner = ${owner} AND number < ${before}::bigint
        ORDER BY number LIMIT ${limit}::bigint`)
      const last = old.at(-1)
      if (last === undefined) return 0
      // Another process may have removed more meanwhile.
      work.write(sql`
        UPDATE event_heads SET removed_to = greatest(removed_to, ${last.number}::bigint) WHERE owner = ${owner}`)
      return work.wrote(sql`DELETE FROM owner_events WHERE owner = ${owner} AND number <= ${last.number}::bigint`)
    })
  }
}

export function toEvent({
  number,
  type,
  data,
  invoice_id,
  imported_as,
  reference,
  order_id,
  ...order
}: EventColumns): OwnerEvent {
  const about = data !== null && type.startsWith('deposit.') ? readDepositData(data) : null
  return {
    id: idOf(number),
    type,
    at: timeOf(number),
    invoiceId: imported_as ?? invoice_id,
    reference,
    deposit: about?.deposit ?? null,
    delivery: data !== null && type === 'delivery.failed' ? deliveryIn(data) : null,
    ...toOrder(order),
    ...(about?.isLate === true ? { late: true } : {}),
    ...(order_id === null ? {} : { orderId: order_id }),
  }
}

export function idOf(number: bigint): string {
  return number.toString(16).padStart(ID_HEX_LENGTH, '0')
}

function timeOf(number: bigint): number {
  return Number(number / NUMBERS_PER_MS)
}

/** The number that an id of an event stands for; its form was checked. */
export function numberOf(id: string): bigint {
  const number = BigInt(`0x${id}`)
  const max = 2n ** 63n - 1n
  return number > max ? max : number
}
