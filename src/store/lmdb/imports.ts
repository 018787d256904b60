import type { Deposit } from '../../domain/deposit.js'
import type { ImportedInvoice } from '../../domain/imported-record.js'
import { walletsOf } from '../../domain/invoice.js'
import type { Settled } from '../commands.js'
import { answeredNow } from '../rules/asking.js'
import { importAudit } from '../rules/audit.js'
import {
  ADDED,
  flawOfWallet,
  isSameInvoice,
  KNOWN,
  keptWhole,
  NO_IMPORT_TERMS,
  refused,
  withRefusal,
} from '../rules/import-outcomes.js'
import { importKey } from '../rules/keys.js'
import type { ImportableRecord, ImportOutcome, ImportPort, ImportTerms } from '../store.js'
import { LmdbAuditWork } from './audit-rows.js'
import type { Commit, CommitLoop } from './commit/commit-loop.js'
import { findDeposit, putDeposit } from './deposits/deposit-rows.js'
import type { DepositRecorder } from './deposits/deposits.js'
import { importEvent, importRemoval } from './events/event-import.js'
import { skipLogging } from './events/logged-since.js'
import { internOwner } from './identities/identities.js'
import { addExpiry, expireDue, isPaidNow } from './invoices/invoice-index.js'
import { indexed } from './invoices/invoice-places.js'
import { findInvoice, type InvoiceRow, putInvoiceRow, storeIdOf } from './invoices/invoice-rows.js'
import { enterOpen } from './invoices/open-invoices.js'
import { enterPaid } from './invoices/paid-invoices.js'
import { internSet } from './invoices/wallet-sets.js'
import { LmdbKeyWork } from './keys/api-keys.js'
import { under } from './tables/keys.js'
import { NOTHING } from './tables/tables.js'
import { findWallet, type WalletRow } from './wallets/wallets.js'

/** Writes records of another store as they were. No webhook is owed by them. */
export class LmdbImports implements ImportPort {
  constructor(
    private readonly commits: CommitLoop,
    private readonly deposits: DepositRecorder,
  ) {}

  async add(batch: readonly ImportableRecord[], terms = NO_IMPORT_TERMS): Promise<readonly Settled<ImportOutcome>[]> {
    const units = batch.map((record) => (commit: Commit) => keptWhole(this.addOne(commit, record, terms)))
    return (await this.commits.runAll(units)).map(withRefusal)
  }

  private addOne(commit: Commit, record: ImportableRecord, terms: ImportTerms): ImportOutcome {
    switch (record.type) {
      case 'invoice':
        return addInvoice(commit, record, terms)
      case 'key':
        return answeredNow(importKey(new LmdbKeyWork(commit), record.publicKey, record.key))
      case 'deposit':
        expireDue(commit, commit.aside)
        return addDeposit(commit, this.deposits, record.deposit)
      case 'event':
        return importEvent(commit, record)
      case 'removal':
        return importRemoval(commit, record.owner, record.id)
      case 'audit':
        return answeredNow(importAudit(new LmdbAuditWork(commit), record.record))
    }
  }
}

function addInvoice(
  commit: Commit,
  { invoice, expiresAt, voidedAt }: ImportedInvoice,
  terms: ImportTerms,
): ImportOutcome {
  const known = findInvoice(commit, invoice.id)
  if (known !== undefined) return isSameInvoice(known.invoice, invoice) ? KNOWN : refused('another invoice has its id')
  const id = storeIdOf(invoice)
  if (id === undefined) return refused('its id is malformed')
  if (commit.tables.invoices.doesExist(id)) return refused('another invoice has its id')
  const { reference, owner } = invoice
  if (reference !== null && commit.tables.references.doesExist(Buffer.from(reference))) {
    return refused('another invoice has its reference')
  }
  const wallets: WalletRow[] = []
  for (const walletId of walletsOf(invoice)) {
    const wallet = findWallet(commit, walletId)
    const named = wallet === undefined ? undefined : { owner: wallet.owner, hasAddress: wallet.addressNo !== null }
    const flaw = flawOfWallet(walletId, named, invoice, terms)
    if (flaw !== null) return refused(flaw)
    if (wallet !== undefined) wallets.push(wallet)
  }
  const ownerNo = internOwner(commit, owner)
  const setNo = internSet(commit, owner, ownerNo, wallets)
  // Not void after its expiry: it was paid or being paid then, though its deposits may not be imported yet.
  const hasOutlivedExpiry = expiresAt !== null && expiresAt <= commit.nowMs && voidedAt === null
  skipLogging(commit, invoice.created_at, voidedAt ?? 0)
  const row: InvoiceRow = { id, invoice, setNo, expiresAt, voidedAt, hasOutlivedExpiry }
  putInvoiceRow(commit, row)
  commit.tables.ownerInvoices.putSync(under(ownerNo, id), NOTHING)
  if (reference !== null) commit.tables.references.putSync(Buffer.from(reference), id)
  if (voidedAt === null) enter(commit, row)
  return ADDED
}

/** Enters an invoice that is not void into the indexes on its wallets. */
function enter(commit: Commit, row: InvoiceRow): void {
  const invoice = indexed(commit, row)
  if (isPaidNow(commit, row)) enterPaid(commit, invoice)
  else enterOpen(commit, invoice)
  if (row.expiresAt !== null && !row.hasOutlivedExpiry) addExpiry(commit, row.expiresAt, row.id)
}

/** A dropped deposit is seen first: a store remembers only what it saw. */
function addDeposit(commit: Commit, deposits: DepositRecorder, deposit: Deposit): ImportOutcome {
  const { kind, confirmedAt, ...sighting } = deposit
  commit.silence()
  const reports = kind === 'dropped' ? (['pending', 'dropped'] as const) : [kind]
  const before = findDeposit(commit, deposit)
  if (before?.deposit.kind === kind) {
    return deposits.conflictWith(before, sighting) === null ? KNOWN : refused('it is known otherwise')
  }
  skipLogging(commit, confirmedAt ?? 0)
  for (const report of reports) {
    const { outcome } = deposits.record(commit, { type: 'deposit', report, sighting })
    if (outcome.status === 'rejected') return refused(outcome.error)
  }
  const row = findDeposit(commit, deposit)
  if (row === undefined) throw new Error('a deposit that was recorded is not there')
  if (kind === 'confirmed') putDeposit(commit, { ...row, deposit: { ...row.deposit, confirmedAt } })
  return ADDED
}
