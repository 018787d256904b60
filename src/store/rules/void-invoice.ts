import { type ApiKey, refusalOf } from '../../domain/api-key.js'
import { type Outcome, refuse, succeed, unchanged } from '../../domain/failure.js'
import { refuseVoiding } from '../../domain/voiding.js'
import type { AcceptCommand, VoidCommand } from '../commands.js'
import type { Awaitable, InvoiceWithPayment } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { decideExpiryOf, type InvoiceLife, voidNow } from './invoice-life.js'
import { optionEnded } from './order-life.js'
import type { OptionRow, OrderWork } from './order-work.js'
import { tellWallets } from './tell-wallets.js'

/** What the end of an invoice at its owner's request needs of an engine. `I` is its row of an invoice. */
export interface EndWork<I extends OptionRow> extends InvoiceLife<I> {
  readonly orders: OrderWork<I>
  key(id: string): Awaitable<ApiKey | undefined>
  /** The invoice that a client names. It stays as it is until the commit, and so does what it received. */
  find(name: string): Awaitable<I | undefined>
  answerOf(invoice: I): InvoiceWithPayment
}

/** Voids an invoice for its owner. A void one stays as it is. */
export function* voidInvoice<I extends OptionRow>(
  work: EndWork<I>,
  command: VoidCommand,
): Asking<Outcome<InvoiceWithPayment>> {
  const found = yield* findToEnd(work, command)
  if (!found.ok) return found
  const row = found.value
  const isVoid = row.voidedAt !== null
  const isSettled = !isVoid && (row.acceptedAt !== null || work.isCovered(row))
  const refusal = refuseVoiding(command.owner, row.invoice.owner, isSettled)
  if (refusal !== null) return { ok: false, failure: refusal }
  if (isVoid) return unchanged(work.answerOf(row))
  const gone = voidNow(work, row)
  tellWallets(work.orders, row)
  if (row.orderId !== null) yield* optionEnded(work.orders, row.orderId, gone)
  return succeed(work.answerOf(gone))
}

/** The invoice that its owner wants to end, with its expiry decided if it was due. Who asks must hold a key that is valid now. */
export function* findToEnd<I extends OptionRow>(
  work: EndWork<I>,
  { invoiceId, authority }: VoidCommand | AcceptCommand,
): Asking<Outcome<I>> {
  const key = authority === undefined ? undefined : yield* ask(work.key(authority.keyId))
  const found = yield* ask(work.find(invoiceId))
  const denied = authority === undefined ? null : refusalOf(key, authority, work.nowMs)
  if (denied !== null) return { ok: false, failure: denied }
  return found === undefined ? refuse('invoice_not_found') : succeed(decideExpiryOf(work, found))
}
