import { type ApiKey, refusalOf } from '../../domain/api-key.js'
import { type Outcome, refuse, succeed } from '../../domain/failure.js'
import { type Invoice, walletsOf } from '../../domain/invoice.js'
import { type Ending, refuseVoiding } from '../../domain/voiding.js'
import type { VoidCommand } from '../commands.js'
import type { Awaitable, InvoiceWithPayment } from '../store.js'
import { type Asking, ask } from './asking.js'
import { decideExpiryOf, type InvoiceLife, voidNow } from './invoice-life.js'

/** What a voiding needs of an engine. `I` is its row of an invoice. */
export interface VoidWork<I extends Ending> extends InvoiceLife<I> {
  key(id: string): Awaitable<ApiKey | undefined>
  /** The invoice that a client names. It stays as it is until the commit, and so does what it received. */
  find(name: string): Awaitable<I | undefined>
  /** Notes that an invoice on a wallet ends. */
  changed(walletId: string): void
  answerOf(invoice: I): InvoiceWithPayment
}

/** Voids an invoice for its owner. A void one stays as it is. */
export function* voidInvoice<I extends Ending & { readonly invoice: Invoice }>(
  work: VoidWork<I>,
  { invoiceId, owner, authority }: VoidCommand,
): Asking<Outcome<InvoiceWithPayment>> {
  const key = authority === undefined ? undefined : yield* ask(work.key(authority.keyId))
  const found = yield* ask(work.find(invoiceId))
  const denied = authority === undefined ? null : refusalOf(key, authority, work.nowMs)
  if (denied !== null) return { ok: false, failure: denied }
  if (found === undefined) return refuse('invoice_not_found')
  const row = decideExpiryOf(work, found)
  const isVoid = row.voidedAt !== null
  const refusal = refuseVoiding(owner, row.invoice.owner, !isVoid && work.isCovered(row))
  if (refusal !== null) return { ok: false, failure: refusal }
  const gone = isVoid ? row : voidNow(work, row)
  if (!isVoid) for (const walletId of walletsOf(row.invoice)) work.changed(walletId)
  return succeed(work.answerOf(gone))
}
