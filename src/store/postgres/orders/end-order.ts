import type { ApiKey } from '../../../domain/api-key.js'
import { ID } from '../../../domain/id.js'
import type { EndOrderWork } from '../../rules/end-order.js'
import type { HeldOrder } from '../../rules/order-work.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import type { InvoiceRow } from '../invoices/invoice-rows.js'
import { expireDue } from '../invoices/settle.js'
import { keysOf } from '../keys/key-port.js'
import { readHeld } from './order-port.js'
import { orderWorkOn } from './order-work.js'

/** What a unit of work does for the end of an order. */
export function endOrderWorkOn(work: Work): EndOrderWork<InvoiceRow> {
  return {
    orders: orderWorkOn(work),
    async key(id): Promise<ApiKey | undefined> {
      return (await keysOf(work, [id])).get(id)
    },
    /** Locks the wallets of its invoices. Before it is read, the expiries that are due are decided. */
    async find(name) {
      if (ID.test(name)) {
        work.lockWallets(sql`
          SELECT w.id FROM wallets AS w WHERE w.id IN (
            SELECT unnest(i.wallet_ids) FROM invoices AS i WHERE i.order_id = ${name}::uuid
          ) ORDER BY w.id FOR UPDATE OF w`)
      }
      await work.readClock()
      await expireDue(work)
      if (!ID.test(name)) return undefined
      const found = await work.row<{ id: string }>(sql`SELECT o.id FROM orders AS o WHERE o.id = ${name}::uuid`)
      return found?.id
    },
    answerOf: ({ order, rows }: HeldOrder<InvoiceRow>) => readHeld(work, order, rows),
  }
}
