import type { ImportPort } from '../imports.js'
import type { OrderImportWork } from '../rules/import-orders.js'
import { type DepositImportWork, type InvoiceImportWork, importsBy } from '../rules/imports.js'
import type { DepositJudge } from '../rules/judge-report.js'
import { BOUNDLESS, Choices } from '../rules/match-deposit.js'
import { LmdbAuditWork } from './audit-rows.js'
import type { Commit } from './commit/commit.js'
import type { CommitLoop } from './commit/commit-loop.js'
import { type DepositRow, findDeposit, putDeposit } from './deposits/deposit-rows.js'
import { recordDeposit } from './deposits/deposits.js'
import { eachAlone } from './each-alone.js'
import { eventImportOn } from './events/event-import.js'
import { logWorkOn } from './events/logged-since.js'
import { internOwner } from './identities/identities.js'
import { addExpiry, expireDue, isPaidNow } from './invoices/invoice-index.js'
import { indexed } from './invoices/invoice-places.js'
import { findInvoice, type InvoiceRow, invoiceRow, putInvoiceRow } from './invoices/invoice-rows.js'
import { LmdbNoteWork } from './invoices/notes.js'
import { enterOpen } from './invoices/open-invoices.js'
import { orderOf, putOrder } from './invoices/order-rows.js'
import { enterPaid } from './invoices/paid-invoices.js'
import { enterVoid } from './invoices/void-invoices.js'
import { internSet } from './invoices/wallet-sets.js'
import { keyWorkOn } from './keys/api-keys.js'
import { enterOrder, findOrder } from './orders/order-rows.js'
import { orderWorkOn } from './orders/order-work.js'
import { type InvoiceId, under } from './tables/keys.js'
import { NOTHING } from './tables/tables.js'
import { findWallet } from './wallets/wallets.js'

/** Writes records of another store as they were. No webhook is owed by them. */
export function lmdbImports(commits: CommitLoop, judge: DepositJudge): ImportPort {
  const works = {
    logWorkOn,
    invoiceImportOn,
    orderImportOn,
    orderWorkOn,
    depositImportOn,
    keyWorkOn,
    eventImportOn,
    auditWorkOn: (commit: Commit) => new LmdbAuditWork(commit),
    noteWorkOn: (commit: Commit) => new LmdbNoteWork(commit),
  }
  return importsBy(works, judge, eachAlone(commits))
}

function invoiceImportOn(commit: Commit): InvoiceImportWork<InvoiceRow> {
  const { invoices, ownerInvoices, references } = commit.tables
  const keyOf = (id: string) => Buffer.from(id, 'hex') as InvoiceId
  return {
    wallets: (ids) =>
      ids
        .map((id) => findWallet(commit, id))
        .filter((row) => row !== undefined)
        .map(({ id, owner, addressNo }) => ({ id, owner, hasAddress: addressNo !== null })),
    find(id) {
      const row = findInvoice(commit, id)
      return row === undefined ? undefined : { invoice: row.invoice, order: orderOf(commit, row.id) }
    },
    rival(id, reference) {
      if (invoices.doesExist(keyOf(id))) return id
      return reference === null ? null : (references.get(Buffer.from(reference))?.toString('hex') ?? null)
    },
    add({ invoice, order, walletIds, expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry, ...entered }) {
      const { owner, reference } = invoice
      const id = keyOf(entered.id)
      const ownerNo = internOwner(commit, owner)
      const wallets = walletIds.map((walletId) => findWallet(commit, walletId)).filter((row) => row !== undefined)
      const setNo = internSet(commit, owner, ownerNo, wallets)
      const ending = { expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry }
      putInvoiceRow(commit, { id, invoice, setNo, orderId: null, ...ending })
      putOrder(commit, ownerNo, id, order)
      ownerInvoices.putSync(under(ownerNo, id), NOTHING)
      if (reference !== null) references.putSync(Buffer.from(reference), id)
      if (voidedAt !== null) enterVoid(commit, indexed(commit, invoiceRow(commit, id)), voidedAt)
    },
    added({ id, expiresAt, hasOutlivedExpiry }) {
      if (expiresAt !== null && !hasOutlivedExpiry) addExpiry(commit, expiresAt, keyOf(id))
      return invoiceRow(commit, keyOf(id))
    },
    isPaid: (row) => isPaidNow(commit, row),
    enterPaid: (row) => enterPaid(commit, indexed(commit, row)),
    enterOpen: (row) => enterOpen(commit, indexed(commit, row)),
  }
}

function orderImportOn(commit: Commit): OrderImportWork<InvoiceRow> {
  return {
    find: (id) => findOrder(commit, id),
    invoices: (ids) => ids.map((id) => findInvoice(commit, id)).filter((row) => row !== undefined),
    enter(order, rows) {
      for (const row of rows) putInvoiceRow(commit, { ...row, orderId: order.id })
      enterOrder(commit, order)
    },
  }
}

function depositImportOn(commit: Commit, judge: DepositJudge): DepositImportWork<DepositRow> {
  return {
    judge,
    prepare() {
      expireDue(commit, commit.aside)
    },
    find: (deposit) => findDeposit(commit, deposit),
    record: (report, sighting) =>
      recordDeposit(commit, judge, { type: 'deposit', report, sighting }, new Choices(BOUNDLESS)).outcome,
    /** It is known at once. */
    finish() {},
    put: (row, before) => putDeposit(commit, row, before),
  }
}
