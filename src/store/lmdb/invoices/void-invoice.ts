import type { ApiKey } from '../../../domain/api-key.js'
import type { Outcome } from '../../../domain/failure.js'
import type { AcceptCommand, VoidCommand } from '../../commands.js'
import { acceptInvoice } from '../../rules/accept-invoice.js'
import { type EndWork, voidInvoice } from '../../rules/void-invoice.js'
import type { InvoiceWithPayment } from '../../store.js'
import { tracedIn } from '../audit-rows.js'
import type { Commit } from '../commit/commit-loop.js'
import { findById } from '../keys/api-keys.js'
import { type LmdbOrderWork, orderWorkOn } from '../orders/order-work.js'
import { answerFor } from '../payments/payments.js'
import { LmdbInvoiceLife } from './invoice-index.js'
import { findInvoice, type InvoiceRow } from './invoice-rows.js'

/** Voids an invoice, in LMDB. When it is done, its trace says so. */
export function voidIn(commit: Commit, command: VoidCommand): Outcome<InvoiceWithPayment> {
  return tracedIn(commit, command.trace, voidInvoice(new LmdbEnds(commit), command))
}

/** Accepts an invoice, likewise. */
export function acceptIn(commit: Commit, command: AcceptCommand): Outcome<InvoiceWithPayment> {
  return tracedIn(commit, command.trace, acceptInvoice(new LmdbEnds(commit), command))
}

class LmdbEnds extends LmdbInvoiceLife implements EndWork<InvoiceRow> {
  get orders(): LmdbOrderWork {
    return orderWorkOn(this.commit)
  }

  key(id: string): ApiKey | undefined {
    return findById(this.commit, id)
  }

  find(name: string): InvoiceRow | undefined {
    return findInvoice(this.commit, name)
  }

  changed(walletId: string): void {
    this.commit.changed(walletId)
  }

  answerOf(row: InvoiceRow): InvoiceWithPayment {
    return answerFor(this.commit, row)
  }
}
