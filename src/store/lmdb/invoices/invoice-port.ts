import type { Invoice } from '../../../domain/invoice.js'
import type { InvoicePort, InvoiceWithPayment, Page, PageOf } from '../../store.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { pageOfOwner } from '../identities/owner-lists.js'
import { answerFor } from '../payments/payments.js'
import { ID_BYTES, type InvoiceId, idOfKey, isKey } from '../tables/keys.js'
import type { InvoiceAnswers } from './invoice-answers.js'
import { findInvoice, type InvoiceRow, invoiceRow } from './invoice-rows.js'

/** Reads invoices. */
export class LmdbInvoices implements InvoicePort {
  constructor(
    private readonly commits: CommitLoop,
    private readonly answers: InvoiceAnswers,
  ) {}

  find(id: string): Invoice | undefined {
    return findInvoice(this.commits.snapshot, id)?.invoice
  }

  findWithPayment(id: string): InvoiceWithPayment | undefined {
    return this.answers.find(this.commits.snapshot, id)
  }

  findByReference(reference: string): Invoice | undefined {
    const { snapshot } = this.commits
    const key = Buffer.from(reference)
    const id = isKey(key) ? (snapshot.tables.references.get(key) as InvoiceId | undefined) : undefined
    return id === undefined ? undefined : invoiceRow(snapshot, id).invoice
  }

  page(owner: string, page: Page): PageOf<Invoice> {
    return this.read(owner, page, ({ invoice }) => invoice)
  }

  pageWithPayment(owner: string, page: Page): PageOf<InvoiceWithPayment> {
    return this.read(owner, page, (row) => answerFor(this.commits.snapshot, row))
  }

  private read<T>(owner: string, page: Page, toItem: (row: InvoiceRow) => T): PageOf<T> {
    const { snapshot } = this.commits
    return pageOfOwner(snapshot, snapshot.tables.ownerInvoices, ID_BYTES, owner, page, (key) =>
      toItem(invoiceRow(snapshot, idOfKey<InvoiceId>(key))),
    )
  }
}
