import type { EventImportWork, ToldEvent } from '../../rules/import-events.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { findDeposit } from '../deposits/deposit-rows.js'
import { internOwner } from '../identities.js'
import { isNamed } from '../invoices/invoice-rows.js'
import { lockCursor, passOver } from './event-cursors.js'
import { deliveryData, depositData } from './event-data.js'
import { numberOf } from './event-port.js'

/** What a unit of work does to import events. Invoices have the ids of their rows. */
export function eventImportOn(work: Work): EventImportWork<string, StoredColumns> {
  return {
    invoice: (id) =>
      work.row<{ named: string; owner: string }>(
        sql`SELECT i.id AS named, i.owner FROM invoices AS i WHERE ${isNamed(id) ?? sql`false`}`,
      ),
    async ownerOfOrder(id) {
      const row = await work.row<{ owner: string }>(sql`SELECT o.owner FROM orders AS o WHERE o.id = ${id}::uuid`)
      return row?.owner
    },
    hasDeposit: async (deposit) => (await findDeposit(work, deposit)) !== undefined,
    async open(owner, id) {
      const number = numberOf(id)
      internOwner(work, owner)
      // Before the log, as the sending of events does.
      lockCursor(work, owner)
      const [head] = await work.written<{ removed_to: bigint | null }>(sql`
        INSERT INTO event_heads AS h (owner, last) VALUES (${owner}, ${number}::bigint)
        ON CONFLICT (owner) DO UPDATE SET last = greatest(h.last, excluded.last) RETURNING removed_to::numeric`)
      const removedTo = head?.removed_to ?? null
      return removedTo !== null && number <= removedTo
    },
    stored: (owner, id) =>
      work.row<StoredColumns>(sql`
        SELECT type, invoice_id, data, order_id FROM owner_events WHERE owner = ${owner} AND number = ${numberOf(id)}::bigint`),
    says: ({ type, invoice_id, data, order_id }, event) =>
      type === event.type && invoice_id === event.invoice && data === dataOf(event) && order_id === orderIn(event),
    async hasEarlier(owner, id) {
      const row = await work.row(
        sql`SELECT 1 FROM owner_events WHERE owner = ${owner} AND number < ${numberOf(id)}::bigint LIMIT 1`,
      )
      return row !== undefined
    },
    passOver: (owner, id) => passOver(work, owner, id),
    insert(owner, id, event) {
      work.write(sql`
        INSERT INTO owner_events (owner, number, type, invoice_id, data, order_id)
        VALUES (${owner}, ${numberOf(id)}::bigint, ${event.type}, ${event.invoice}::uuid, ${dataOf(event)}, ${orderIn(event)}::uuid)`)
    },
    beginBehind(owner, id) {
      work.write(sql`UPDATE event_heads SET removed_to = ${numberOf(id)}::bigint WHERE owner = ${owner}`)
    },
  }
}

interface StoredColumns {
  readonly type: string
  readonly invoice_id: string | null
  readonly data: string | null
  readonly order_id: string | null
}

function orderIn(event: ToldEvent<string>): string | null {
  return 'orderId' in event ? event.orderId : null
}

function dataOf(event: ToldEvent<string>): string | null {
  if ('deposit' in event) return depositData(event.deposit, event.isLate)
  return 'delivery' in event ? deliveryData(event.delivery) : null
}
