import type { ApiKey } from '../../../domain/api-key.js'
import type { Outcome } from '../../../domain/failure.js'
import type { AcceptOrderCommand, VoidOrderCommand } from '../../commands.js'
import type { OrderWithOptions } from '../../orders.js'
import { acceptOrder, type EndOrderWork, voidOrder } from '../../rules/end-order.js'
import type { HeldOrder } from '../../rules/order-work.js'
import { tracedIn } from '../audit-rows.js'
import type { Commit } from '../commit/commit-loop.js'
import type { InvoiceRow } from '../invoices/invoice-rows.js'
import { findById } from '../keys/api-keys.js'
import { readOptions } from './order-port.js'
import { findOrder } from './order-rows.js'
import { orderWorkOn } from './order-work.js'

/** Voids an order, in LMDB. When it is done, its trace says so. */
export function voidOrderIn(commit: Commit, command: VoidOrderCommand): Outcome<OrderWithOptions> {
  return tracedIn(commit, command.trace, voidOrder(endWorkOn(commit), command))
}

/** Accepts an order, likewise. */
export function acceptOrderIn(commit: Commit, command: AcceptOrderCommand): Outcome<OrderWithOptions> {
  return tracedIn(commit, command.trace, acceptOrder(endWorkOn(commit), command))
}

function endWorkOn(commit: Commit): EndOrderWork<InvoiceRow> {
  return {
    orders: orderWorkOn(commit),
    key: (id): ApiKey | undefined => findById(commit, id),
    find: (name) => findOrder(commit, name)?.id,
    answerOf: ({ order }: HeldOrder<InvoiceRow>) => readOptions(commit, order),
  }
}
