import { type Outcome, succeed, unchanged } from '../../domain/failure.js'
import { refuseAccepting } from '../../domain/voiding.js'
import type { AcceptCommand } from '../commands.js'
import type { InvoiceWithPayment } from '../reading.js'
import type { Asking } from './asking.js'
import { acceptNow } from './invoice-life.js'
import { optionEnded } from './order-life.js'
import type { OptionRow } from './order-work.js'
import { tellWallets } from './tell-wallets.js'
import { type EndWork, findToEnd } from './void-invoice.js'

/**
 * Accepts an invoice for its owner, whatever has come, also one that is paid: its owner has decided, and no reorganisation
 * takes that back. An accepted one stays as it is.
 */
export function* acceptInvoice<I extends OptionRow>(
  work: EndWork<I>,
  command: AcceptCommand,
): Asking<Outcome<InvoiceWithPayment>> {
  const found = yield* findToEnd(work, command)
  if (!found.ok) return found
  const row = found.value
  const refusal = refuseAccepting(command.owner, row.invoice.owner, row)
  if (refusal !== null) return { ok: false, failure: refusal }
  if (row.acceptedAt !== null) return unchanged(work.answerOf(row))
  const accepted = acceptNow(work, row)
  tellWallets(work.orders, row)
  if (row.orderId !== null) yield* optionEnded(work.orders, row.orderId, accepted)
  return succeed(work.answerOf(accepted))
}
