import type { ApiKey } from '../../../domain/api-key.js'
import type { EndOrderWork } from '../../rules/end-order.js'
import type { HeldOrder } from '../../rules/order-work.js'
import type { Commit } from '../commit/commit.js'
import type { InvoiceRow } from '../invoices/invoice-rows.js'
import { findById } from '../keys/api-keys.js'
import { readOptions } from './order-port.js'
import { findOrder } from './order-rows.js'
import { orderWorkOn } from './order-work.js'

/** What a commit does for the end of an order. */
export function endOrderWorkOn(commit: Commit): EndOrderWork<InvoiceRow> {
  return {
    orders: orderWorkOn(commit),
    key: (id): ApiKey | undefined => findById(commit, id),
    find: (name) => findOrder(commit, name)?.id,
    answerOf: ({ order }: HeldOrder<InvoiceRow>) => readOptions(commit, order),
  }
}
