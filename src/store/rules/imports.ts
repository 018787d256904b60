import { isDeepStrictEqual } from 'node:util'
import { parseInvoiceAmount } from '../../domain/amount.js'
import type { Deposit, DepositOutcome, DepositReport, Sighting } from '../../domain/deposit.js'
import type { ImportedInvoice } from '../../domain/imported-record.js'
import { type Invoice, walletsOf } from '../../domain/invoice.js'
import { NO_ORDER_FIELDS, type OrderFields } from '../../domain/order-fields.js'
import type { Ending } from '../../domain/voiding.js'
import type { ImportableRecord, ImportOutcome, ImportPort, ImportTerms } from '../imports.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask, type RunEach } from './asking.js'
import { type AuditWork, importAudit } from './audit.js'
import type { KnownDeposit } from './chain-work.js'
import { type EventImportWork, importEvent, importRemoval } from './import-events.js'
import { importOrder, type OrderImportWork } from './import-orders.js'
import {
  ADDED,
  KNOWN,
  keptWhole,
  type LogWork,
  NO_IMPORT_TERMS,
  refused,
  type SilentWork,
  skipLogging,
  withRefusal,
} from './import-outcomes.js'
import type { DepositJudge } from './judge-report.js'
import { importKey, type KeyWork } from './keys.js'
import { importNote, type NoteWork } from './notes.js'
import type { OptionRow, OrderWork } from './order-work.js'
import { storeIdOf } from './store-id.js'
import { askBoth } from './together.js'

/** A wallet of an imported invoice. */
export interface NamedWallet {
  readonly id: string
  readonly owner: string | null
  readonly hasAddress: boolean
}

/** An invoice that is there already. */
export interface KnownInvoice {
  readonly invoice: Invoice
  readonly order: OrderFields
}

/** An invoice to enter. */
export interface EnteredInvoice extends Ending {
  /** The id under which the store has it (`storeIdOf`). */
  readonly id: string
  readonly invoice: Invoice
  readonly order: OrderFields
  readonly walletIds: readonly string[]
  readonly atoms: bigint
}

/** What an engine does to import invoices, inside a transaction. `Row` is an invoice that was entered. */
export interface InvoiceImportWork<Row> {
  /** Those of some wallets that are known. Nobody else changes them until the commit. */
  wallets(ids: readonly string[]): Awaitable<readonly NamedWallet[]>
  find(id: string): Awaitable<KnownInvoice | undefined>
  /** The id of an invoice that has this id or this reference; null for none. */
  rival(id: string, reference: string | null): Awaitable<string | null>
  add(invoice: EnteredInvoice): void
  /** An invoice that was added, with what its wallets have received. */
  added(invoice: EnteredInvoice): Awaitable<Row>
  isPaid(row: Row): boolean
  enterPaid(row: Row): void
  enterOpen(row: Row): void
}

/** What an engine does to import a deposit, inside a transaction. */
export interface DepositImportWork<Row extends KnownDeposit> {
  readonly judge: Pick<DepositJudge, 'conflictWith'>
  /** Keeps others from the address of a deposit until the commit, and decides expiries that are due. */
  prepare(sighting: Sighting): Awaitable<void>
  find(deposit: Deposit): Awaitable<Row | undefined>
  record(report: DepositReport, sighting: Sighting): Awaitable<DepositOutcome>
  /** Finds out what the deposits have paid that were recorded. */
  finish(): Awaitable<void>
  /** Writes a deposit that is there. `before` is the row as it was. */
  put(row: Row, before: Row): void
}

/** What an engine does to import records, each part in a transaction `Tx`. */
export interface ImportWorks<Tx, Row extends OptionRow, Recorded extends KnownDeposit, Named, Stored, Id> {
  logWorkOn(tx: Tx): SilentWork
  invoiceImportOn(tx: Tx): InvoiceImportWork<Row>
  orderImportOn(tx: Tx): OrderImportWork<Row>
  orderWorkOn(tx: Tx): OrderWork<Row>
  depositImportOn(tx: Tx, judge: DepositJudge): DepositImportWork<Recorded>
  keyWorkOn(tx: Tx): KeyWork
  eventImportOn(tx: Tx): EventImportWork<Named, Stored>
  auditWorkOn(tx: Tx): AuditWork
  noteWorkOn(tx: Tx): NoteWork<Id>
}

/** Adds records of another store as they were there. Where one is refused, nothing stays that was written of it. */
export function importsBy<Tx, Row extends OptionRow, Recorded extends KnownDeposit, Named, Stored, Id>(
  works: ImportWorks<Tx, Row, Recorded, Named, Stored, Id>,
  judge: DepositJudge,
  runEach: RunEach<Tx>,
): ImportPort {
  return {
    async add(batch, terms = NO_IMPORT_TERMS) {
      const rules = batch.map((record) => {
        return function* (tx: Tx): Asking<ImportOutcome> {
          return keptWhole(yield* addRecord(works, judge, tx, record, terms))
        }
      })
      return (await runEach(rules)).map(withRefusal)
    },
  }
}

function addRecord<Tx, Row extends OptionRow, Recorded extends KnownDeposit, Named, Stored, Id>(
  works: ImportWorks<Tx, Row, Recorded, Named, Stored, Id>,
  judge: DepositJudge,
  tx: Tx,
  record: ImportableRecord,
  terms: ImportTerms,
): Asking<ImportOutcome> {
  switch (record.type) {
    case 'invoice':
      return importInvoice(works.invoiceImportOn(tx), works.logWorkOn(tx), record, terms)
    case 'order':
      return importOrder(works.orderImportOn(tx), works.orderWorkOn(tx), works.logWorkOn(tx), record.order)
    case 'key':
      return importKey(works.keyWorkOn(tx), record.publicKey, record.key)
    case 'deposit':
      return importDeposit(works.depositImportOn(tx, judge), works.logWorkOn(tx), record.deposit)
    case 'event':
      return importEvent(works.eventImportOn(tx), works.logWorkOn(tx), record)
    case 'removal':
      return importRemoval(works.eventImportOn(tx), record.owner, record.id)
    case 'audit':
      return importAudit(works.auditWorkOn(tx), record.record)
    case 'note':
      return importNote(works.noteWorkOn(tx), record.note)
  }
}

export function* importInvoice<Row>(
  invoices: InvoiceImportWork<Row>,
  log: LogWork,
  { invoice, order, expiresAt, voidedAt, acceptedAt }: ImportedInvoice,
  terms: ImportTerms,
): Asking<ImportOutcome> {
  const walletIds = walletsOf(invoice)
  const [found, nowMs] = yield* askBoth(invoices.wallets(walletIds), log.readClock())
  const known = yield* ask(invoices.find(invoice.id))
  if (known !== undefined) return isSameInvoice(known, invoice, order) ? KNOWN : refused('another invoice has its id')
  const id = storeIdOf(invoice)
  if (id === undefined) return refused('its id is malformed')
  const rival = yield* ask(invoices.rival(id, invoice.reference))
  if (rival !== null) return refused(`another invoice has its ${rival === id ? 'id' : 'reference'}`)
  const wallets = new Map(found.map((wallet) => [wallet.id, wallet]))
  for (const walletId of walletIds) {
    const flaw = flawOfWallet(walletId, wallets.get(walletId), invoice, terms)
    if (flaw !== null) return refused(flaw)
  }
  const atoms = parseInvoiceAmount(invoice.amount)
  if (atoms === null) return refused('its amount is none')
  // Not void after its expiry: it was paid or being paid then, though its deposits may not be imported yet.
  const hasOutlivedExpiry = expiresAt !== null && voidedAt === null && (acceptedAt !== null || expiresAt <= nowMs)
  const entered = {
    id,
    invoice,
    order: order ?? NO_ORDER_FIELDS,
    walletIds,
    atoms,
    expiresAt,
    voidedAt,
    acceptedAt,
    hasOutlivedExpiry,
  }
  invoices.add(entered)
  if (voidedAt === null && acceptedAt === null) {
    const row = yield* ask(invoices.added(entered))
    if (invoices.isPaid(row)) invoices.enterPaid(row)
    else invoices.enterOpen(row)
  }
  yield* skipLogging(log, invoice.created_at, voidedAt ?? acceptedAt ?? 0)
  return ADDED
}

/** A dropped deposit is seen first: a store remembers only what it saw. */
export function* importDeposit<Row extends KnownDeposit>(
  deposits: DepositImportWork<Row>,
  log: SilentWork,
  deposit: Deposit,
): Asking<ImportOutcome> {
  const { kind, confirmedAt, ...sighting } = deposit
  yield* ask(deposits.prepare(sighting))
  log.silence()
  const before = yield* ask(deposits.find(deposit))
  if (before?.deposit.kind === kind) {
    const conflict = deposits.judge.conflictWith(before, sighting)
    return conflict === null ? KNOWN : refused('it is known otherwise')
  }
  for (const report of kind === 'dropped' ? (['pending', 'dropped'] as const) : [kind]) {
    const outcome = yield* ask(deposits.record(report, sighting))
    if (outcome.status === 'rejected') return refused(outcome.error)
  }
  yield* ask(deposits.finish())
  if (kind === 'confirmed') {
    const row = yield* ask(deposits.find(deposit))
    if (row === undefined) throw new Error('a deposit that was recorded is not there')
    deposits.put({ ...row, deposit: { ...row.deposit, confirmedAt } }, row)
  }
  yield* skipLogging(log, confirmedAt ?? 0)
  return ADDED
}

/** Why an invoice cannot be on a wallet, as text; null if it can. The API lets nobody invoice on the wallet of another. */
function flawOfWallet(
  walletId: string,
  wallet: NamedWallet | undefined,
  { owner }: Pick<Invoice, 'owner'>,
  { ofFormerOwners }: ImportTerms,
): string | null {
  if (wallet === undefined || !wallet.hasAddress) {
    return `the wallet ${walletId} is not known, or has no address: import wallets first`
  }
  if (wallet.owner === owner) return null
  if (wallet.owner === null) return `the wallet ${walletId} belongs to nobody: import it with its owner first`
  return ofFormerOwners ? null : `the wallet ${walletId} belongs to another identity (--former-owners)`
}

/** Whether two records of an invoice say the same. A record of before there were the fields of an order says nothing of them. */
function isSameInvoice(known: KnownInvoice, invoice: Invoice, order: OrderFields | undefined): boolean {
  if (!isDeepStrictEqual(known.invoice, invoice)) return false
  return order === undefined || isDeepStrictEqual(known.order, order)
}
