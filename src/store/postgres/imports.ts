import type { Deposit, DepositOutcome, DepositReport, Sighting } from '../../domain/deposit.js'
import type { Order } from '../../domain/order.js'
import type { Settled } from '../commands.js'
import type { ImportableRecord, ImportOutcome, ImportPort } from '../imports.js'
import { answeredLater } from '../rules/asking.js'
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
import { PostgresAuditWork } from './audit.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'
import type { Work } from './connection/work.js'
import { DepositMemo } from './deposits/deposit-memo.js'
import type { DepositRecorder } from './deposits/recorder.js'
import { DepositRecording } from './deposits/recording.js'
import { PostgresEventImport } from './events/event-import.js'
import { PostgresLogWork } from './events/logged-since.js'
import { internOwner } from './identities.js'
import {
  type InvoiceColumns,
  type InvoiceRow,
  insertInvoices,
  isNamed,
  STATE,
  STORED_COLUMNS,
  toInvoice,
} from './invoices/invoice-rows.js'
import { PostgresNoteWork } from './invoices/notes.js'
import { toOrder } from './invoices/order-columns.js'
import { enterOpen, enterPaid, enterVoid } from './invoices/places.js'
import { expireDue, isPaidNow, lockInvoice, lockInvoices } from './invoices/settle.js'
import { PostgresKeyWork } from './keys/key-port.js'
import {
  insertOrders,
  ORDER_COLUMNS,
  type OrderColumns as OrderRowColumns,
  toOrder as toWholeOrder,
} from './orders/order-rows.js'
import { orderWorkOn } from './orders/order-work.js'
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
      const unit = (work: Work) => {
        const parts = {
          invoices: new InvoiceImport(work),
          orders: new OrderImport(work),
          deposits: new DepositImport(work, this.deposits),
          keys: new PostgresKeyWork(work),
          events: new PostgresEventImport(work),
          audit: new PostgresAuditWork(work),
          notes: new PostgresNoteWork(work),
        }
        return answeredLater(importRecord(parts, record, terms))
      }
      const [fate] = await Promise.allSettled([this.database.writeRequested(unit)])
      fates.push(withRefusal(fate))
    }
    return fates
  }
}

class InvoiceImport extends PostgresLogWork implements InvoiceImportWork<InvoiceRow> {
  async wallets(ids: readonly string[]): Promise<ReadonlyMap<string, NamedWallet>> {
    const rows = await this.work.rows<{ id: string; address_id: number | null; owner: string | null }>(sql`
      SELECT w.id, w.address_id, w.owner FROM wallets AS w WHERE w.id = ANY(${ids}::text[]) ORDER BY w.id FOR UPDATE`)
    return new Map(rows.map(({ id, owner, address_id }) => [id, { owner, hasAddress: address_id !== null }]))
  }

  async find(id: string): Promise<KnownInvoice | undefined> {
    const row = await this.work.row<InvoiceColumns>(
      sql`SELECT ${STORED_COLUMNS} FROM invoices AS i WHERE ${isNamed(id) ?? sql`false`}`,
    )
    return row === undefined ? undefined : { invoice: toInvoice(row), order: toOrder(row) }
  }

  async taken(id: string, reference: string | null): Promise<'id' | 'reference' | null> {
    const row = await this.work.row<{ id: string }>(
      sql`SELECT id FROM invoices WHERE id = ${id}::uuid OR (reference = ${reference} AND reference IS NOT NULL)`,
    )
    if (row === undefined) return null
    return row.id === id ? 'id' : 'reference'
  }

  add(invoice: EnteredInvoice): void {
    internOwner(this.work, invoice.invoice.owner)
    const { voidedAt, acceptedAt } = invoice
    const state = voidedAt !== null ? STATE.void : acceptedAt !== null ? STATE.accepted : STATE.open
    const row = { ...invoice, state, orderId: null }
    this.work.write(insertInvoices([row]))
    if (voidedAt !== null) enterVoid(this.work, [row])
  }

  added({ id }: EnteredInvoice): Promise<InvoiceRow> {
    return lockInvoice(this.work, id)
  }

  isPaid(row: InvoiceRow): boolean {
    return isPaidNow(row)
  }

  enterPaid(row: InvoiceRow): void {
    this.work.write(sql`UPDATE invoices SET state = ${STATE.paid}::smallint WHERE id = ${row.id}::uuid`)
    enterPaid(this.work, row, row.matches)
  }

  enterOpen(row: InvoiceRow): void {
    enterOpen(this.work, [row])
  }
}

class OrderImport extends PostgresLogWork implements OrderImportWork<InvoiceRow> {
  readonly orders = orderWorkOn(this.work)

  async find(id: string): Promise<Order | undefined> {
    const row = await this.work.row<OrderRowColumns>(
      sql`SELECT ${ORDER_COLUMNS} FROM orders AS o WHERE o.id = ${id}::uuid`,
    )
    return row === undefined ? undefined : toWholeOrder(row)
  }

  invoices(ids: readonly string[]): Promise<readonly InvoiceRow[]> {
    // Before the invoices: the order may lean on what came to these wallets.
    this.work.lockWallets(sql`
      SELECT w.id FROM wallets AS w WHERE w.id IN (SELECT unnest(i.wallet_ids) FROM invoices AS i WHERE i.id = ANY(${ids}::uuid[]))
      ORDER BY w.id FOR UPDATE OF w`)
    return lockInvoices(this.work, ids)
  }

  enter(order: Order, rows: readonly InvoiceRow[]): void {
    this.work.write(insertOrders([order]))
    const ids = rows.map(({ id }) => id)
    this.work.write(sql`UPDATE invoices SET order_id = ${order.id}::uuid WHERE id = ANY(${ids}::uuid[])`)
  }
}

class DepositImport extends PostgresLogWork implements DepositImportWork {
  readonly judge: DepositJudge
  private readonly memo: DepositMemo
  private readonly recording: DepositRecording

  constructor(work: Work, deposits: DepositRecorder) {
    super(work)
    this.judge = deposits.judge
    this.memo = new DepositMemo(work)
    this.recording = new DepositRecording(deposits, work, this.memo, new Choices(BOUNDLESS))
  }

  async prepare(sighting: Sighting): Promise<void> {
    lockAddresses(this.work, this.judge.soundOf([sighting]))
    await this.readClock()
    await expireDue(this.work)
  }

  async find(deposit: Deposit): Promise<Deposit | undefined> {
    return (await this.memo.deposit(deposit))?.deposit
  }

  async record(report: DepositReport, sighting: Sighting): Promise<DepositOutcome> {
    return (await this.recording.record({ type: 'deposit', report, sighting })).outcome
  }

  finish(): Promise<void> {
    return this.recording.finish()
  }

  confirmedAt(deposit: Deposit): void {
    const row = this.memo.knownRow(deposit)
    if (row === undefined) throw new Error('a deposit that was recorded is not known')
    this.memo.putDeposit({ ...row, deposit: { ...row.deposit, confirmedAt: deposit.confirmedAt } })
  }
}
