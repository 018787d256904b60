import type {
  AcceptCommand,
  AcceptOrderCommand,
  AcceptOrderResult,
  AcceptResult,
  VoidCommand,
  VoidOrderCommand,
  VoidOrderResult,
  VoidResult,
} from '../commands.js'
import { acceptInvoice } from './accept-invoice.js'
import type { Asking } from './asking.js'
import { type AuditWork, traced } from './audit.js'
import { acceptOrder, type EndOrderWork, voidOrder } from './end-order.js'
import type { OptionRow } from './order-work.js'
import { type EndWork, voidInvoice } from './void-invoice.js'

/** What an owner asks to end, or an operator in its name. */
export type EndCommand = VoidCommand | AcceptCommand | VoidOrderCommand | AcceptOrderCommand
export type EndResult = VoidResult | AcceptResult | VoidOrderResult | AcceptOrderResult

/** What the end of an invoice or of an order needs of an engine, inside a transaction. */
export interface EndCommandWork<I extends OptionRow> {
  readonly audit: AuditWork
  readonly invoices: EndWork<I>
  readonly orders: EndOrderWork<I>
}

/** Voids or accepts an invoice or an order. When it is done, its trace says so. */
export function* endAsAsked<I extends OptionRow>(
  { audit, invoices, orders }: EndCommandWork<I>,
  command: EndCommand,
): Asking<EndResult> {
  const { type, trace } = command
  switch (type) {
    case 'void':
      return { type, outcome: yield* traced(audit, trace, voidInvoice(invoices, command)) }
    case 'accept':
      return { type, outcome: yield* traced(audit, trace, acceptInvoice(invoices, command)) }
    case 'void-order':
      return { type, outcome: yield* traced(audit, trace, voidOrder(orders, command)) }
    case 'accept-order':
      return { type, outcome: yield* traced(audit, trace, acceptOrder(orders, command)) }
  }
}
