import type { Deposit, DepositOutcome, DepositReport, Sighting } from '../../domain/deposit.js'
import type { Order } from '../../domain/order.js'
import type { Settled } from '../commands.js'
import type { ImportableRecord, ImportOutcome, ImportPort } from '../imports.js'
import { answeredNow } from '../rules/asking.js'
import type { OrderImportWork } from '../rules/import-orders.js'
import { NO_IMPORT_TERMS, withRefusal } from '../rules/import-outcomes.js'
import {
  type DepositImportWork,
  type EnteredInvoice,
  type InvoiceImportWork,
  importRecord,
  type KnownInvoice,
  type NamedWallet,
} from '../rules/imports.js'
import type { DepositJudge } from '../rules/judge-report.js'
import { BOUNDLESS, Choices } from '../rules/match-deposit.js'
import { LmdbAuditWork } from './audit-rows.js'
import type { Commit, CommitLoop } from './commit/commit-loop.js'
import { findDeposit, putDeposit } from './deposits/deposit-rows.js'
import type { DepositRecorder } from './deposits/deposits.js'
import { LmdbEventImport } from './events/event-import.js'
import { LmdbLogWork } from './events/logged-since.js'
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
import { LmdbKeyWork } from './keys/api-keys.js'
import { enterOrder, findOrder } from './orders/order-rows.js'
import { orderWorkOn } from './orders/order-work.js'
import { type InvoiceId, under } from './tables/keys.js'
import { NOTHING } from './tables/tables.js'
import { findWallet } from './wallets/wallets.js'

/** Writes records of another store as they were. No webhook is owed by them. */
export class LmdbImports implements ImportPort {
  constructor(
    private readonly commits: CommitLoop,
    private readonly deposits: DepositRecorder,
  ) {}

  async add(batch: readonly ImportableRecord[], terms = NO_IMPORT_TERMS): Promise<readonly Settled<ImportOutcome>[]> {
    const units = batch.map((record) => (commit: Commit) => {
      const work = {
        invoices: new InvoiceImport(commit),
        orders: new OrderImport(commit),
        deposits: new DepositImport(commit, this.deposits),
        keys: new LmdbKeyWork(commit),
        events: new LmdbEventImport(commit),
        audit: new LmdbAuditWork(commit),
        notes: new LmdbNoteWork(commit),
      }
      return answeredNow(importRecord(work, record, terms))
    })
    return (await this.commits.runAll(units)).map(withRefusal)
  }
}

class InvoiceImport extends LmdbLogWork implements InvoiceImportWork<InvoiceRow> {
  wallets(ids: readonly string[]): ReadonlyMap<string, NamedWallet> {
    const rows = ids.map((id) => findWallet(this.commit, id)).filter((row) => row !== undefined)
    return new Map(rows.map(({ id, owner, addressNo }) => [id, { owner, hasAddress: addressNo !== null }]))
  }

  find(id: string): KnownInvoice | undefined {
    const row = findInvoice(this.commit, id)
    return row === undefined ? undefined : { invoice: row.invoice, order: orderOf(this.commit, row.id) }
  }

  taken(id: string, reference: string | null): 'id' | 'reference' | null {
    const { invoices, references } = this.commit.tables
    if (invoices.doesExist(keyOf(id))) return 'id'
    return reference !== null && references.doesExist(Buffer.from(reference)) ? 'reference' : null
  }

  add({ id: name, invoice, order, walletIds, ...ending }: EnteredInvoice): void {
    const { ownerInvoices, references } = this.commit.tables
    const { owner, reference } = invoice
    const id = keyOf(name)
    const ownerNo = internOwner(this.commit, owner)
    const wallets = walletIds.map((walletId) => findWallet(this.commit, walletId)).filter((row) => row !== undefined)
    const setNo = internSet(this.commit, owner, ownerNo, wallets)
    const { expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry } = ending
    putInvoiceRow(this.commit, {
      id,
      invoice,
      setNo,
      orderId: null,
      expiresAt,
      voidedAt,
      acceptedAt,
      hasOutlivedExpiry,
    })
    putOrder(this.commit, ownerNo, id, order)
    ownerInvoices.putSync(under(ownerNo, id), NOTHING)
    if (reference !== null) references.putSync(Buffer.from(reference), id)
    if (voidedAt !== null) enterVoid(this.commit, indexed(this.commit, invoiceRow(this.commit, id)), voidedAt)
  }

  added({ id, expiresAt, hasOutlivedExpiry }: EnteredInvoice): InvoiceRow {
    if (expiresAt !== null && !hasOutlivedExpiry) addExpiry(this.commit, expiresAt, keyOf(id))
    return invoiceRow(this.commit, keyOf(id))
  }

  isPaid(row: InvoiceRow): boolean {
    return isPaidNow(this.commit, row)
  }

  enterPaid(row: InvoiceRow): void {
    enterPaid(this.commit, indexed(this.commit, row))
  }

  enterOpen(row: InvoiceRow): void {
    enterOpen(this.commit, indexed(this.commit, row))
  }
}

function keyOf(id: string): InvoiceId {
  return Buffer.from(id, 'hex') as InvoiceId
}

class OrderImport extends LmdbLogWork implements OrderImportWork<InvoiceRow> {
  readonly orders = orderWorkOn(this.commit)

  find(id: string): Order | undefined {
    return findOrder(this.commit, id)
  }

  invoices(ids: readonly string[]): readonly InvoiceRow[] {
    return ids.map((id) => findInvoice(this.commit, id)).filter((row) => row !== undefined)
  }

  enter(order: Order, rows: readonly InvoiceRow[]): void {
    for (const row of rows) putInvoiceRow(this.commit, { ...row, orderId: order.id })
    enterOrder(this.commit, order)
  }
}

class DepositImport extends LmdbLogWork implements DepositImportWork {
  constructor(
    commit: Commit,
    private readonly deposits: DepositRecorder,
  ) {
    super(commit)
  }

  get judge(): DepositJudge {
    return this.deposits.judge
  }

  prepare(): void {
    expireDue(this.commit, this.commit.aside)
  }

  find(deposit: Deposit): Deposit | undefined {
    return findDeposit(this.commit, deposit)?.deposit
  }

  record(report: DepositReport, sighting: Sighting): DepositOutcome {
    return this.deposits.record(this.commit, { type: 'deposit', report, sighting }, new Choices(BOUNDLESS)).outcome
  }

  /** It is known at once. */
  finish(): void {}

  confirmedAt(deposit: Deposit): void {
    const row = findDeposit(this.commit, deposit)
    if (row === undefined) throw new Error('a deposit that was recorded is not there')
    putDeposit(this.commit, { ...row, deposit: { ...row.deposit, confirmedAt: deposit.confirmedAt } }, row)
  }
}
