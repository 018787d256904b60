import { parseInvoiceAmount } from '../../domain/amount.js'
import type { Deposit } from '../../domain/deposit.js'
import type { ImportedInvoice } from '../../domain/imported-record.js'
import { walletsOf } from '../../domain/invoice.js'
import type { Settled } from '../commands.js'
import { answeredLater } from '../rules/asking.js'
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
import { PostgresAuditWork } from './audit.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'
import type { Work } from './connection/work.js'
import { DepositMemo } from './deposits/deposit-memo.js'
import type { DepositRecorder } from './deposits/recorder.js'
import { importEvent, importRemoval } from './events/event-import.js'
import { skipLogging } from './events/logged-since.js'
import { internOwner } from './identities.js'
import {
  type InvoiceColumns,
  insertInvoices,
  isNamed,
  type NewInvoice,
  STATE,
  STORED_COLUMNS,
  storeIdOf,
  toInvoice,
} from './invoices/invoice-rows.js'
import { enterOpen, enterPaid } from './invoices/places.js'
import { expireDue, isPaidNow, lockInvoice } from './invoices/settle.js'
import { PostgresKeyWork } from './keys/key-port.js'
import { lockAddresses } from './wallets/wallet-rows.js'

/** Writes records of another store as they were. No webhook is owed by them. */
export class PostgresImports implements ImportPort {
  constructor(
    private readonly database: Database,
    private readonly deposits: DepositRecorder,
  ) {}

  async add(batch: readonly ImportableRecord[], terms = NO_IMPORT_TERMS): Promise<readonly Settled<ImportOutcome>[]> {
    const fates: Settled<ImportOutcome>[] = []
    for (const record of batch) {
      const unit = async (work: Work) => keptWhole(await this.addOne(work, record, terms))
      const [fate] = await Promise.allSettled([this.database.writeRequested(unit)])
      fates.push(withRefusal(fate))
    }
    return fates
  }

  private async addOne(work: Work, record: ImportableRecord, terms: ImportTerms): Promise<ImportOutcome> {
    switch (record.type) {
      case 'invoice':
        return addInvoice(work, record, terms)
      case 'key':
        return answeredLater(importKey(new PostgresKeyWork(work), record.publicKey, record.key))
      case 'deposit':
        return addDeposit(work, this.deposits, record.deposit)
      case 'event':
        return importEvent(work, record)
      case 'removal':
        return importRemoval(work, record.owner, record.id)
      case 'audit':
        return answeredLater(importAudit(new PostgresAuditWork(work), record.record))
    }
  }
}

async function addInvoice(
  work: Work,
  { invoice, expiresAt, voidedAt }: ImportedInvoice,
  terms: ImportTerms,
): Promise<ImportOutcome> {
  const walletIds = walletsOf(invoice)
  const wallets = work.rows<{ id: string; address_id: number | null; owner: string | null }>(sql`
    SELECT w.id, w.address_id, w.owner FROM wallets AS w WHERE w.id = ANY(${walletIds}::text[]) ORDER BY w.id FOR UPDATE`)
  const nowMs = await work.readClock()
  const known = await work.row<InvoiceColumns>(
    sql`SELECT ${STORED_COLUMNS} FROM invoices AS i WHERE ${isNamed(invoice.id) ?? sql`false`}`,
  )
  if (known !== undefined)
    return isSameInvoice(toInvoice(known), invoice) ? KNOWN : refused('another invoice has its id')
  const id = storeIdOf(invoice)
  if (id === undefined) return refused('its id is malformed')
  const taken = await work.row<{ id: string }>(
    sql`SELECT id FROM invoices WHERE id = ${id}::uuid OR (reference = ${invoice.reference} AND reference IS NOT NULL)`,
  )
  if (taken !== undefined) return refused(`another invoice has its ${taken.id === id ? 'id' : 'reference'}`)
  const named = new Map(
    (await wallets).map(({ id, owner, address_id }) => [id, { owner, hasAddress: address_id !== null }]),
  )
  for (const walletId of walletIds) {
    const flaw = flawOfWallet(walletId, named.get(walletId), invoice, terms)
    if (flaw !== null) return refused(flaw)
  }
  const atoms = parseInvoiceAmount(invoice.amount)
  if (atoms === null) return refused('its amount is none')
  internOwner(work, invoice.owner)
  // Not void after its expiry: it was paid or being paid then, though its deposits may not be imported yet.
  const hasOutlivedExpiry = expiresAt !== null && expiresAt <= nowMs && voidedAt === null
  const state = voidedAt === null ? STATE.open : STATE.void
  const row: NewInvoice = { id, invoice, walletIds, atoms, state, expiresAt, voidedAt, hasOutlivedExpiry }
  work.write(insertInvoices([row]))
  if (voidedAt === null) await enter(work, row)
  await skipLogging(work, invoice.created_at, voidedAt ?? 0)
  return ADDED
}

/** Enters an invoice that is not void on its wallets. */
async function enter(work: Work, row: NewInvoice): Promise<void> {
  const entered = await lockInvoice(work, row.id)
  if (!isPaidNow(entered)) {
    enterOpen(work, [row])
    return
  }
  work.write(sql`UPDATE invoices SET state = ${STATE.paid}::smallint WHERE id = ${row.id}::uuid`)
  enterPaid(work, row, entered.matches)
}

/** A dropped deposit is seen first: a store remembers only what it saw. */
async function addDeposit(work: Work, deposits: DepositRecorder, deposit: Deposit): Promise<ImportOutcome> {
  const { kind, confirmedAt, ...sighting } = deposit
  work.silence()
  if (deposits.flawOf(sighting) === null) lockAddresses(work, [sighting])
  await work.readClock()
  await expireDue(work)
  const reports = kind === 'dropped' ? (['pending', 'dropped'] as const) : [kind]
  const memo = new DepositMemo(work)
  const before = await memo.deposit(deposit)
  if (before?.deposit.kind === kind) {
    return deposits.conflictWith(before, sighting) === null ? KNOWN : refused('it is known otherwise')
  }
  const recording = deposits.begin(work, memo)
  for (const report of reports) {
    const { outcome } = await recording.record({ type: 'deposit', report, sighting })
    if (outcome.status === 'rejected') return refused(outcome.error)
  }
  await recording.finish()
  const row = await memo.deposit(deposit)
  if (row === undefined) throw new Error('a deposit that was recorded is not there')
  if (kind === 'confirmed') memo.putDeposit({ ...row, deposit: { ...row.deposit, confirmedAt } })
  await skipLogging(work, confirmedAt ?? 0)
  return ADDED
}
