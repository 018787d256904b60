import type { Sighting } from '../../../domain/deposit.js'
import type { EventImportWork, ToldEvent } from '../../rules/import-events.js'
import { sql } from '../connection/sql.js'
import { findDeposit } from '../deposits/deposit-rows.js'
import { internOwner } from '../identities.js'
import { isNamed } from '../invoices/invoice-rows.js'
import { lockCursor, passOver } from './event-cursors.js'
import { deliveryData, depositData } from './event-data.js'
import { numberOf } from './event-port.js'
import { PostgresLogWork } from './logged-since.js'

/** What a unit of work does to import events. Invoices have the ids of their rows. */
export class PostgresEventImport extends PostgresLogWork implements EventImportWork<string> {
  async invoice(id: string): Promise<{ readonly owner: string; readonly named: string } | undefined> {
    const row = await this.work.row<{ id: string; owner: string }>(
      sql`SELECT i.id, i.owner FROM invoices AS i WHERE ${isNamed(id) ?? sql`false`}`,
    )
    return row === undefined ? undefined : { owner: row.owner, named: row.id }
  }

  async ownerOfOrder(id: string): Promise<string | undefined> {
    const row = await this.work.row<{ owner: string }>(sql`SELECT o.owner FROM orders AS o WHERE o.id = ${id}::uuid`)
    return row?.owner
  }

  async hasDeposit(deposit: Sighting): Promise<boolean> {
    return (await findDeposit(this.work, deposit)) !== undefined
  }

  async open(owner: string, id: string): Promise<boolean> {
    const number = numberOf(id)
    internOwner(this.work, owner)
    // Before the log, as the sending of events does.
    lockCursor(this.work, owner)
    const [head] = await this.work.written<{ removed_to: bigint | null }>(sql`
      INSERT INTO event_heads AS h (owner, last) VALUES (${owner}, ${number}::bigint)
      ON CONFLICT (owner) DO UPDATE SET last = greatest(h.last, excluded.last) RETURNING removed_to::numeric`)
    const removedTo = head?.removed_to ?? null
    return removedTo !== null && number <= removedTo
  }

  async find(owner: string, id: string, event: ToldEvent<string> | null): Promise<'none' | 'same' | 'other'> {
    const row = await this.work.row<{
      type: string
      invoice_id: string | null
      data: string | null
      order_id: string | null
    }>(
      sql`SELECT type, invoice_id, data, order_id FROM owner_events WHERE owner = ${owner} AND number = ${numberOf(id)}::bigint`,
    )
    if (row === undefined) return 'none'
    const isSame =
      row.type === event?.type &&
      row.invoice_id === event.invoice &&
      row.data === dataOf(event) &&
      row.order_id === orderIn(event)
    return isSame ? 'same' : 'other'
  }

  async hasEarlier(owner: string, id: string): Promise<boolean> {
    const row = await this.work.row(
      sql`SELECT 1 FROM owner_events WHERE owner = ${owner} AND number < ${numberOf(id)}::bigint LIMIT 1`,
    )
    return row !== undefined
  }

  insert(owner: string, id: string, event: ToldEvent<string>): void {
    passOver(this.work, owner, id)
    this.work.write(sql`
      INSERT INTO owner_events (owner, number, type, invoice_id, data, order_id)
      VALUES (${owner}, ${numberOf(id)}::bigint, ${event.type}, ${event.invoice}::uuid, ${dataOf(event)}, ${orderIn(event)}::uuid)`)
  }

  beginBehind(owner: string, id: string): void {
    passOver(this.work, owner, id)
    this.work.write(sql`UPDATE event_heads SET removed_to = ${numberOf(id)}::bigint WHERE owner = ${owner}`)
  }
}

function orderIn(event: ToldEvent<string>): string | null {
  return 'orderId' in event ? event.orderId : null
}

function dataOf(event: ToldEvent<string>): string | null {
  if ('deposit' in event) return depositData(event.deposit, event.isLate)
  return 'delivery' in event ? deliveryData(event.delivery) : null
}
