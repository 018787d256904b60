import type { Invoice } from '../../../domain/invoice.js'
import type { InvoicePort, InvoiceWithPayment } from '../../invoices.js'
import type { Page, PageOf } from '../../pages.js'
import type { CommitLoop, Snapshot } from '../commit/commit-loop.js'
import { ownerNoOf } from '../identities/identities.js'
import { answerFor } from '../payments/payments.js'
import { ID_BYTES, isKey, numberKey } from '../tables/bytes.js'
import { type InvoiceId, idOfKey, parseId } from '../tables/names.js'
import { pageKeys } from '../tables/pages.js'
import type { InvoiceAnswers } from './invoice-answers.js'
import { findInvoiceRow, invoiceRow, toInvoice } from './invoice-rows.js'

/** Reads invoices. */
export class LmdbInvoices implements InvoicePort {
  constructor(
    private readonly commits: CommitLoop,
    private readonly answers: InvoiceAnswers,
  ) {}

  find(id: string): Invoice | undefined {
    const bytes = parseId<InvoiceId>(id)
    const row = bytes === undefined ? undefined : findInvoiceRow(this.commits.snapshot, bytes)
    return bytes === undefined || row === undefined ? undefined : toInvoice(bytes, row)
  }

  findWithPayment(id: string): InvoiceWithPayment | undefined {
    return this.answers.find(this.commits.snapshot, id)
  }

  findByReference(reference: string): Invoice | undefined {
    const { snapshot } = this.commits
    const key = Buffer.from(reference)
    const id = isKey(key) ? (snapshot.tables.references.get(key) as InvoiceId | undefined) : undefined
    return id === undefined ? undefined : toInvoice(id, invoiceRow(snapshot, id))
  }

  page(owner: string, page: Page): PageOf<Invoice> {
    return this.read(owner, page, (at, id) => toInvoice(id, invoiceRow(at, id)))
  }

  pageWithPayment(owner: string, page: Page): PageOf<InvoiceWithPayment> {
    return this.read(owner, page, (at, id) => answerFor(at, id, invoiceRow(at, id)))
  }

  private read<T>(owner: string, page: Page, toItem: (at: Snapshot, id: InvoiceId) => T): PageOf<T> {
    const { snapshot } = this.commits
    const ownerNo = ownerNoOf(snapshot, owner)
    if (ownerNo === undefined) return { items: [], next: null }
    return pageKeys(snapshot.tables.ownerInvoices, numberKey(ownerNo), ID_BYTES, page, (key) =>
      toItem(snapshot, idOfKey<InvoiceId>(key)),
    )
  }
}
