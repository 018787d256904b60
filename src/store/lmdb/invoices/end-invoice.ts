import type { ApiKey } from '../../../domain/api-key.js'
import type { InvoiceWithPayment } from '../../reading.js'
import type { EndWork } from '../../rules/void-invoice.js'
import { findById } from '../keys/api-keys.js'
import { type LmdbOrderWork, orderWorkOn } from '../orders/order-work.js'
import { answerFor } from '../payments/payments.js'
import { LmdbInvoiceLife } from './invoice-index.js'
import { findInvoice, type InvoiceRow } from './invoice-rows.js'

/** What a commit does for the end of an invoice. */
export class LmdbEndWork extends LmdbInvoiceLife implements EndWork<InvoiceRow> {
  get orders(): LmdbOrderWork {
    return orderWorkOn(this.commit)
  }

  key(id: string): ApiKey | undefined {
    return findById(this.commit, id)
  }

  find(name: string): InvoiceRow | undefined {
    return findInvoice(this.commit, name)
  }

  answerOf(row: InvoiceRow): InvoiceWithPayment {
    return answerFor(this.commit, row)
  }
}
