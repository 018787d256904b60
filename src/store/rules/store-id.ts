import { createHash } from 'node:crypto'
import { beginningOfIds, ID, INVOICE_ID } from '../../domain/id.js'
import type { Invoice } from '../../domain/invoice.js'

/**
 * The id under which a store has an invoice: it begins with the time of the creation, by which invoices are found and listed. Our own
 * ids do. An imported one of another form gets an id for this store, by which it is found under its own. Undefined when the invoice's
 * id is none.
 */
export function storeIdOf({ id, created_at }: Pick<Invoice, 'id' | 'created_at'>): string | undefined {
  if (!INVOICE_ID.test(id)) return undefined
  const beginning = beginningOfIds(created_at)
  if (ID.test(id) && id.startsWith(beginning)) return id
  return (
    beginning +
    createHash('sha256')
      .update(id)
      .digest('hex')
      .slice(0, id.length - beginning.length)
  )
}
