import { type Invoice, walletsOf } from '../../../domain/invoice.js'
import type { Network } from '../../../domain/network.js'
import { type InvoicePort, UNPAID_EXAMINED_MAX, type UnpaidSearch } from '../../invoices.js'
import type { InvoiceWithDeposits, InvoiceWithPayment, Page, PageOf } from '../../reading.js'
import { isUnpaid } from '../../reading.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { findDeposit } from '../deposits/deposit-rows.js'
import { ownerNoOf } from '../identities/identities.js'
import { nextOfOwner, nextUnder, pageOfOwner, pageUnder } from '../identities/owner-lists.js'
import { answerFor } from '../payments/payments.js'
import { withDeposits } from '../payments/qualifying-deposits.js'
import { ID_BYTES, type InvoiceId, idAt, idOfKey, isKey } from '../tables/keys.js'
import { walletAt } from '../wallets/wallets.js'
import type { InvoiceAnswers } from './invoice-answers.js'
import { placeOf } from './invoice-places.js'
import { findInvoice, invoiceRow } from './invoice-rows.js'
import { openBetween } from './open-invoices.js'
import { orderNumberPrefix } from './order-rows.js'

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

  isKept(id: string): boolean {
    return this.answers.isKept(id)
  }

  findWithDeposits(id: string, limit: number): InvoiceWithDeposits | undefined {
    const { snapshot } = this.commits
    const found = this.answers.find(snapshot, id)
    if (found === undefined) return undefined
    const row = findInvoice(snapshot, id)
    if (row === undefined) return undefined
    return withDeposits(snapshot, row, found, limit)
  }

  findByDeposit(network: Network, txHash: string, index: number): Invoice | undefined {
    const { snapshot } = this.commits
    const id = findDeposit(snapshot, { network, txHash, index })?.invoiceId ?? null
    return id === null ? undefined : invoiceRow(snapshot, id).invoice
  }

  findByReference(reference: string): Invoice | undefined {
    const { snapshot } = this.commits
    const key = Buffer.from(reference)
    const id = isKey(key) ? (snapshot.tables.references.get(key) as InvoiceId | undefined) : undefined
    return id === undefined ? undefined : invoiceRow(snapshot, id).invoice
  }

  page(owner: string, page: Page, orderNumber: string | null = null): PageOf<Invoice> {
    const { snapshot } = this.commits
    return this.readIds(owner, orderNumber, page, (id) => invoiceRow(snapshot, id).invoice)
  }

  pageWithPayment(owner: string, page: Page, orderNumber: string | null = null): PageOf<InvoiceWithPayment> {
    const { snapshot } = this.commits
    return this.readIds(owner, orderNumber, page, (id) => {
      const answer = this.answers.known(snapshot, id.toString('hex')) ?? answerFor(snapshot, invoiceRow(snapshot, id))
      page.slice?.touch(walletsOf(answer.invoice).length)
      return answer
    })
  }

  nextOf(owner: string, page: Page, orderNumber: string | null = null): string | null {
    const { snapshot } = this.commits
    if (orderNumber === null) return nextOfOwner(snapshot, snapshot.tables.ownerInvoices, ID_BYTES, owner, page)
    const ownerNo = ownerNoOf(snapshot, owner)
    if (ownerNo === undefined) return null
    return nextUnder(snapshot.tables.orderNumbers, orderNumberPrefix(orderNumber, ownerNo), ID_BYTES, page)
  }

  oldestUnpaid({ network, address, currency, from, before }: UnpaidSearch): Invoice | undefined {
    const { snapshot } = this.commits
    const wallet = walletAt(snapshot, network, address)
    if (wallet === undefined || wallet.ownerNo === null) return undefined
    const created = [idAt(from), idAt(before)] as const
    const place = placeOf(wallet.no, wallet.ownerNo)
    for (const id of openBetween(snapshot, place, snapshot.currencies.noOf(currency), created, UNPAID_EXAMINED_MAX)) {
      const { invoice } = invoiceRow(snapshot, id)
      const answer = this.answers.find(snapshot, invoice.id)
      if (answer !== undefined && isUnpaid(answer)) return invoice
    }
    return undefined
  }

  private readIds<T>(owner: string, orderNumber: string | null, page: Page, toItem: (id: InvoiceId) => T): PageOf<T> {
    const { snapshot } = this.commits
    const { ownerInvoices, orderNumbers } = snapshot.tables
    const ofKey = (key: Buffer) => toItem(idOfKey<InvoiceId>(key))
    if (orderNumber === null) return pageOfOwner(snapshot, ownerInvoices, ID_BYTES, owner, page, ofKey)
    const ownerNo = ownerNoOf(snapshot, owner)
    if (ownerNo === undefined) return { items: [], next: null }
    return pageUnder(orderNumbers, orderNumberPrefix(orderNumber, ownerNo), ID_BYTES, page, ofKey)
  }
}
