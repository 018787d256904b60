import { firstIdAt } from '../../../domain/id.js'
import type { Invoice } from '../../../domain/invoice.js'
import { canonicalAddress, type Network } from '../../../domain/network.js'
import { type InvoicePort, UNPAID_EXAMINED_MAX, type UnpaidSearch } from '../../invoices.js'
import type { InvoiceWithDeposits, InvoiceWithPayment, Page, PageOf } from '../../reading.js'
import { isUnpaid } from '../../reading.js'
import { CALLBACK } from '../../rules/callbacks.js'
import type { Database } from '../connection/database.js'
import { type Fragment, sql } from '../connection/sql.js'
import { isDeposit, isIndex } from '../deposits/deposit-rows.js'
import { nextBehind, pageBehind } from '../pages.js'
import { type DepositsColumn, depositsColumn, withDeposits } from '../payments/qualifying-deposits.js'
import { RECEIVED } from '../payments/sums.js'
import {
  answerOf,
  INVOICE_COLUMNS,
  type InvoiceColumns,
  isNamed,
  STORED_COLUMNS,
  selectInvoices,
  toInvoice,
  toRow,
} from './invoice-rows.js'

type Timed = InvoiceColumns & { readonly now: number }

/** Reads invoices. */
export class PostgresInvoices implements InvoicePort {
  constructor(private readonly database: Database) {}

  async find(id: string): Promise<Invoice | undefined> {
    const named = isNamed(id)
    return named === null ? undefined : this.only(named)
  }

  async findWithPayment(id: string): Promise<InvoiceWithPayment | undefined> {
    const named = isNamed(id)
    if (named === null) return undefined
    const row = await this.database.readOne<Timed>(this.timed(named))
    return row === undefined ? undefined : answerOf(toRow(row), row.now)
  }

  isKept(): boolean {
    return false
  }

  async findWithDeposits(id: string, limit: number): Promise<InvoiceWithDeposits | undefined> {
    const named = isNamed(id)
    if (named === null) return undefined
    const [row] = await this.database.readPage<Timed & DepositsColumn>(sql`
      SELECT ${INVOICE_COLUMNS}, ${this.database.now} AS now, ${depositsColumn(limit)}
      FROM invoices AS i ${RECEIVED} WHERE ${named}`)
    return row === undefined ? undefined : withDeposits(toRow(row), row, row.now, limit)
  }

  async findByDeposit(network: Network, txHash: string, index: number): Promise<Invoice | undefined> {
    if (!isIndex(index)) return undefined
    return this.only(
      sql`i.id = (SELECT d.invoice_id FROM deposits AS d WHERE ${isDeposit({ network, txHash, index })})`,
    )
  }

  findByReference(reference: string): Promise<Invoice | undefined> {
    return this.only(sql`i.reference = ${reference}`)
  }

  page(owner: string, page: Page, orderNumber: string | null = null): Promise<PageOf<Invoice>> {
    return pageBehind(page, async (behind, limit) => {
      const rows = await this.database.readPage<InvoiceColumns>(sql`
        SELECT ${STORED_COLUMNS} FROM invoices AS i WHERE ${isListed(owner, orderNumber)} ${behind(sql`i.id`)}
        ORDER BY i.id DESC LIMIT ${limit}::bigint`)
      return rows.map((row) => ({ item: toInvoice(row), id: row.id }))
    })
  }

  pageWithPayment(owner: string, page: Page, orderNumber: string | null = null): Promise<PageOf<InvoiceWithPayment>> {
    return this.newestOf(isListed(owner, orderNumber), page)
  }

  nextOf(owner: string, page: Page, orderNumber: string | null = null): Promise<string | null> {
    return nextBehind(page, (behind, rows) =>
      this.database.readPage<{ readonly id: string }>(
        sql`SELECT i.id FROM invoices AS i WHERE ${isListed(owner, orderNumber)} ${behind(sql`i.id`)} ORDER BY i.id DESC ${rows}`,
      ),
    )
  }

  async oldestUnpaid({ network, address, currency, from, before }: UnpaidSearch): Promise<Invoice | undefined> {
    const wallet = sql`p.wallet_id = place.id AND p.owner = place.owner`
    const created = sql`p.invoice_id >= ${firstIdAt(from)}::uuid AND p.invoice_id < ${firstIdAt(before)}::uuid`
    const oldest = sql`ORDER BY p.invoice_id LIMIT ${UNPAID_EXAMINED_MAX}::bigint`
    // The sets of wallets that have open invoices are found one from the other.
    const open = sql`i.id IN (
      WITH RECURSIVE place AS (
        SELECT w.id, w.owner FROM addresses AS a JOIN wallets AS w ON w.id = a.wallet_id
        WHERE a.network = ${network} AND a.address = ${canonicalAddress(address)}
      ), sets AS (
        (SELECT p.set_id FROM place JOIN open_places AS p ON ${wallet} ORDER BY p.set_id LIMIT 1)
        UNION ALL
        SELECT (SELECT p.set_id FROM place JOIN open_places AS p ON ${wallet} WHERE p.set_id > sets.set_id
          ORDER BY p.set_id LIMIT 1) FROM sets WHERE sets.set_id IS NOT NULL
      )
      SELECT p.invoice_id FROM place CROSS JOIN sets CROSS JOIN unnest(${Object.values(CALLBACK)}::smallint[]) AS c (callback)
      CROSS JOIN LATERAL (
        SELECT p.invoice_id FROM open_places AS p WHERE ${wallet} AND p.set_id = sets.set_id AND p.currency = ${currency}
          AND p.callback = c.callback AND ${created} ${oldest}
      ) AS p ${oldest})`
    const rows = await this.database.read<Timed>(this.timed(open, sql`ORDER BY i.id`))
    return rows.map((row) => answerOf(toRow(row), row.now)).find(isUnpaid)?.invoice
  }

  /** The invoices of all owners, newest first. */
  newest(page: Page): Promise<PageOf<InvoiceWithPayment>> {
    return this.newestOf(sql`true`, page)
  }

  /** The invoices that a condition on `i` selects; `rest` orders and limits. */
  async found(condition: Fragment, rest: Fragment): Promise<readonly InvoiceWithPayment[]> {
    const rows = await this.database.readPage<Timed>(this.timed(condition, rest))
    return rows.map((row) => answerOf(toRow(row), row.now))
  }

  private newestOf(condition: Fragment, page: Page): Promise<PageOf<InvoiceWithPayment>> {
    return pageBehind(page, async (behind, limit) => {
      const newest = sql`ORDER BY i.id DESC LIMIT ${limit}::bigint`
      const rows = await this.database.readPage<Timed>(this.timed(sql`${condition} ${behind(sql`i.id`)}`, newest))
      return rows.map((row) => ({ item: answerOf(toRow(row), row.now), id: row.id }))
    })
  }

  private timed(condition: Fragment, rest: Fragment = sql``): Fragment {
    return sql`SELECT found.*, ${this.database.now} AS now FROM (${selectInvoices(condition, rest)}) AS found`
  }

  private async only(condition: Fragment): Promise<Invoice | undefined> {
    const row = await this.database.readOne<InvoiceColumns>(
      sql`SELECT ${STORED_COLUMNS} FROM invoices AS i WHERE ${condition}`,
    )
    return row === undefined ? undefined : toInvoice(row)
  }
}

/** Those of `invoices AS i` that an owner has, or only those with an order number. */
function isListed(owner: string, orderNumber: string | null): Fragment {
  return orderNumber === null
    ? sql`i.owner = ${owner}`
    : sql`i.order_number = ${orderNumber} AND i.order_number IS NOT NULL AND i.owner = ${owner}`
}
