import {
  areAbsent,
  type Metadata,
  metadataOfText,
  metadataText,
  NO_ORDER_FIELDS,
  type OrderFields,
} from '../../../domain/order-fields.js'
import type { Commit, Reader } from '../commit/commit.js'
import { type InvoiceId, type OwnerNo, sortableText, under } from '../tables/keys.js'
import { CorruptRecord, orNull, recordCodec, type Shape, storedAs, text } from '../tables/record-codec.js'
import { NOTHING } from '../tables/tables.js'

/*
 * What invoices say of their orders, in a table of its own: most invoices say nothing, and the row that every read and every
 * payment touches stays as short as it was.
 */

const SHAPE: Shape<OrderFields> = {
  returnUrl: orNull(text),
  orderNumber: orNull(text),
  metadata: storedAs(
    orNull(text),
    (metadata: Metadata | null) => (metadata === null ? null : metadataText(metadata)),
    (stored) => (stored === null ? null : readStored(stored)),
  ),
}

export const orderCodec = recordCodec<OrderFields>('order-fields', 1, SHAPE)

function readStored(stored: string): Metadata {
  const metadata = metadataOfText(stored)
  if (metadata === undefined) throw new CorruptRecord('a record of order-fields has metadata that is none')
  return metadata
}

export function orderOf({ tables }: Reader, id: InvoiceId): OrderFields {
  const packed = tables.orderFields.getBinaryFast(id)
  return packed === undefined ? NO_ORDER_FIELDS : orderCodec.decode(packed)
}

/** Keeps what a new invoice says of its order; nothing is written where it says nothing. */
export function putOrder({ tables }: Commit, ownerNo: OwnerNo, id: InvoiceId, order: OrderFields): void {
  if (areAbsent(order)) return
  tables.orderFields.putSync(id, orderCodec.encode(order))
  if (order.orderNumber !== null) tables.orderNumbers.putSync(orderNumberKey(order.orderNumber, ownerNo, id), NOTHING)
}

export function orderNumberKey(orderNumber: string, ownerNo: OwnerNo, id: InvoiceId): Buffer {
  return Buffer.concat([orderNumberPrefix(orderNumber, ownerNo), id])
}

/** What begins the keys of an owner's invoices with an order number. */
export function orderNumberPrefix(orderNumber: string, ownerNo: OwnerNo): Buffer {
  return Buffer.concat([sortableText(orderNumber), under(ownerNo, NOTHING)])
}
