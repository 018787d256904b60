import type { ApiKey } from '../../../domain/api-key.js'
import type { InvoiceWithPayment } from '../../reading.js'
import type { EndWork } from '../../rules/void-invoice.js'
import { sql } from '../connection/sql.js'
import { keysOf } from '../keys/key-port.js'
import { orderWorkOn, type PostgresOrderWork } from '../orders/order-work.js'
import { answerOf, type InvoiceRow, isNamed } from './invoice-rows.js'
import { expireDue, lockInvoice, PostgresInvoiceLife } from './settle.js'

/** What a unit of work does for the end of an invoice. */
export class PostgresEndWork extends PostgresInvoiceLife implements EndWork<InvoiceRow> {
  get orders(): PostgresOrderWork {
    return orderWorkOn(this.work)
  }

  async key(id: string): Promise<ApiKey | undefined> {
    return (await keysOf(this.work, [id])).get(id)
  }

  /** Locks the invoice's wallets and the invoice. Before it is read, the expiries that are due are decided. */
  async find(name: string): Promise<InvoiceRow | undefined> {
    const { work } = this
    const named = isNamed(name)
    const found =
      named === null
        ? undefined
        : await work.row<{ id: string; wallet_ids: readonly string[]; order_id: string | null }>(
            sql`SELECT i.id, i.wallet_ids, i.order_id FROM invoices AS i WHERE ${named}`,
          )
    if (found !== undefined) {
      // With those of the other invoices of its order, which may end with it.
      const also =
        found.order_id === null
          ? sql``
          : sql`OR w.id IN (SELECT unnest(i.wallet_ids) FROM invoices AS i WHERE i.order_id = ${found.order_id}::uuid)`
      work.lockWallets(
        sql`SELECT w.id FROM wallets AS w WHERE w.id = ANY(${found.wallet_ids}::text[]) ${also} ORDER BY w.id FOR UPDATE OF w`,
      )
    }
    await work.readClock()
    await expireDue(work)
    return found === undefined ? undefined : lockInvoice(work, found.id)
  }

  answerOf(row: InvoiceRow): InvoiceWithPayment {
    return answerOf(row, this.nowMs)
  }
}
