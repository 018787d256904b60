import { metadataOfText, metadataText, NO_ORDER_FIELDS, type OrderFields } from '../../../domain/order-fields.js'
import { BrokenData } from '../../damage.js'
import { sql } from '../connection/sql.js'

/** What an invoice says of its order, as the columns of `invoices` have it. */
export interface OrderColumns {
  readonly return_url: string | null
  readonly order_number: string | null
  /** JSON. */
  readonly metadata: string | null
}

/** Of `invoices AS i`. */
export const ORDER_COLUMNS = sql`i.return_url, i.order_number, i.metadata`

export function toOrder({ return_url, order_number, metadata }: OrderColumns): OrderFields {
  if (return_url === null && order_number === null && metadata === null) return NO_ORDER_FIELDS
  const read = metadata === null ? null : metadataOfText(metadata)
  if (read === undefined) throw new BrokenData('metadata is stored that is none')
  return { returnUrl: return_url, orderNumber: order_number, metadata: read }
}

/** The column of metadata. */
export function metadataColumn({ metadata }: OrderFields): string | null {
  return metadata === null ? null : metadataText(metadata)
}
