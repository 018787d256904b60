import type { ImportPort } from '../imports.js'
import type { OrderImportWork } from '../rules/import-orders.js'
import { type DepositImportWork, type InvoiceImportWork, importsBy, type NamedWallet } from '../rules/imports.js'
import type { DepositJudge } from '../rules/judge-report.js'
import { BOUNDLESS, Choices } from '../rules/match-deposit.js'
import { PostgresAuditWork } from './audit.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'
import type { Work } from './connection/work.js'
import { DepositMemo } from './deposits/deposit-memo.js'
import type { DepositRow } from './deposits/deposit-rows.js'
import { DepositRecording } from './deposits/recording.js'
import { eachAlone } from './each-alone.js'
import { eventImportOn } from './events/event-import.js'
import { logWorkOn } from './events/logged-since.js'
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
import { keyWorkOn } from './keys/key-port.js'
import {
  insertOrders,
  ORDER_COLUMNS,
  type OrderColumns as OrderRowColumns,
  toOrder as toWholeOrder,
} from './orders/order-rows.js'
import { orderWorkOn } from './orders/order-work.js'
import { lockAddresses } from './wallets/wallet-rows.js'

/** Writes records of another store as they were. No webhook is owed by them. */
export function postgresImports(database: Database, judge: DepositJudge): ImportPort {
  const works = {
    logWorkOn,
    invoiceImportOn,
    orderImportOn,
    orderWorkOn,
    depositImportOn,
    keyWorkOn,
    eventImportOn,
    auditWorkOn: (work: Work) => new PostgresAuditWork(work),
    noteWorkOn: (work: Work) => new PostgresNoteWork(work),
  }
  return importsBy(works, judge, eachAlone(database))
}

function invoiceImportOn(work: Work): InvoiceImportWork<InvoiceRow> {
  return {
    wallets: (ids) =>
      work.rows<NamedWallet>(sql`
        SELECT w.id, w.owner, w.address_id IS NOT NULL AS "hasAddress" FROM wallets AS w WHERE w.id = ANY(${ids}::text[])
        ORDER BY w.id FOR UPDATE`),
    async find(id) {
      const row = await work.row<InvoiceColumns>(
        sql`SELECT ${STORED_COLUMNS} FROM invoices AS i WHERE ${isNamed(id) ?? sql`false`}`,
      )
      return row === undefined ? undefined : { invoice: toInvoice(row), order: toOrder(row) }
    },
    async rival(id, reference) {
      const row = await work.row<{ id: string }>(
        sql`SELECT id FROM invoices WHERE id = ${id}::uuid OR (reference = ${reference} AND reference IS NOT NULL)`,
      )
      return row?.id ?? null
    },
    add(invoice) {
      internOwner(work, invoice.invoice.owner)
      const { voidedAt, acceptedAt } = invoice
      const state = voidedAt !== null ? STATE.void : acceptedAt !== null ? STATE.accepted : STATE.open
      const row = { ...invoice, state, orderId: null }
      work.write(insertInvoices([row]))
      if (voidedAt !== null) enterVoid(work, [row])
    },
    added: ({ id }) => lockInvoice(work, id),
    isPaid: isPaidNow,
    enterPaid(row) {
      work.write(sql`UPDATE invoices SET state = ${STATE.paid}::smallint WHERE id = ${row.id}::uuid`)
      enterPaid(work, row, row.matches)
    },
    enterOpen: (row) => enterOpen(work, [row]),
  }
}

function orderImportOn(work: Work): OrderImportWork<InvoiceRow> {
  return {
    async find(id) {
      const row = await work.row<OrderRowColumns>(
        sql`SELECT ${ORDER_COLUMNS} FROM orders AS o WHERE o.id = ${id}::uuid`,
      )
      return row === undefined ? undefined : toWholeOrder(row)
    },
    invoices(ids) {
      // Before the invoices: the order may lean on what came to these wallets.
      work.lockWallets(sql`
        SELECT w.id FROM wallets AS w WHERE w.id IN (SELECT unnest(i.wallet_ids) FROM invoices AS i WHERE i.id = ANY(${ids}::uuid[]))
        ORDER BY w.id FOR UPDATE OF w`)
      return lockInvoices(work, ids)
    },
    enter(order, rows) {
      work.write(insertOrders([order]))
      const ids = rows.map(({ id }) => id)
      work.write(sql`UPDATE invoices SET order_id = ${order.id}::uuid WHERE id = ANY(${ids}::uuid[])`)
    },
  }
}

function depositImportOn(work: Work, judge: DepositJudge): DepositImportWork<DepositRow> {
  const memo = new DepositMemo(work)
  const recording = new DepositRecording(judge, work, memo, new Choices(BOUNDLESS))
  return {
    judge,
    async prepare(sighting) {
      lockAddresses(work, judge.soundOf([sighting]))
      await work.readClock()
      await expireDue(work)
    },
    find: (deposit) => memo.row(deposit),
    record: async (report, sighting) => (await recording.record({ type: 'deposit', report, sighting })).outcome,
    finish: () => recording.finish(),
    put: (row) => memo.putDeposit(row),
  }
}
