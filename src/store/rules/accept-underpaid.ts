import type { DepositReport } from '../../domain/deposit.js'
import type { Invoice } from '../../domain/invoice.js'
import type { Received } from '../../domain/payment.js'
import { isNearlyPaid } from '../../domain/underpayment.js'
import { type Ending, isExpiryAhead } from '../../domain/voiding.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { acceptNow, type InvoiceLife, setHeld } from './invoice-life.js'
import { tellWallets } from './tell-wallets.js'

/*
 * An exchange keeps its fee, and a little less comes than an invoice asks for. An operator may have the service take that as enough
 * (decisions 4): a confirmed deposit that is matched to an invoice accepts it when the invoice's own confirmed money is less than the
 * amount by no more than the share that the operator allows.
 *
 * Only such a deposit does. So a deposit that is matched to nobody, which counts in `own` of several invoices, accepts none of them,
 * and neither does a deposit that leaves.
 */

/** What it needs of an engine. `Id` is how the engine names an invoice. */
export interface UnderpaidWork<I extends Ending, Id> {
  readonly life: InvoiceLife<I>
  /** The invoice, with all that has been written of it. */
  invoice(id: Id): Awaitable<I>
  /** What is the invoice's own, now that the deposit is counted. Amounts are atoms. */
  ownOf(invoice: I): { readonly amount: bigint; readonly own: Received }
  /** Notes that something about a wallet changes that its payment pages show. */
  changed(walletId: string): void
}

/** Behind a change of a deposit that is matched to an invoice, and is of that `kind` now. What it has paid in full is settled. */
export function* acceptUnderpaid<Id, I extends Ending & { readonly id: Id; readonly invoice: Invoice }>(
  work: UnderpaidWork<I, Id>,
  counted: I,
  kind: DepositReport,
  underpayment: number,
): Asking<void> {
  const { amount, own } = work.ownOf(counted)
  const isEnough = kind === 'confirmed' && isNearlyPaid(amount, own.confirmed, underpayment)
  const isNearlySeen = isNearlyPaid(amount, own.confirmed + own.pending, underpayment)
  if (!isEnough && !isNearlySeen && kind !== 'dropped') return
  const invoice = yield* ask(work.invoice(counted.id))
  if (invoice.voidedAt !== null || invoice.acceptedAt !== null) return
  if (isEnough) {
    acceptNow(work.life, invoice)
    tellWallets(work, invoice)
  } else if (isExpiryAhead(invoice, work.life.nowMs)) setHeld(work.life, invoice, isNearlySeen)
}
