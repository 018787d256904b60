import type { InvoiceEventType } from '../../../domain/event.js'
import { isPaid } from '../../../domain/payment.js'
import { type Ending, isCovered, outlives } from '../../../domain/voiding.js'
import type { Asking } from '../../rules/asking.js'
import * as life from '../../rules/invoice-life.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { type Account, confirmedAfter } from '../payments/sums.js'
import { changeInvoice, type InvoiceColumns, type InvoiceRow, STATE, selectInvoices, toRow } from './invoice-rows.js'
import { enterOpen, enterPaid, enterVoid, leaveOpen, leavePaid, leaveVoid, markMatched } from './places.js'

/*
 * A transaction that changes an invoice, or decides by what it received, locks the invoice's row before it reads. So of two
 * deposits to two of its wallets, the later one sees both.
 */

/** Locks invoices, and before them the orders that some of them are options of, and reads them, in the order of their ids. */
export async function lockInvoices(work: Work, ids: readonly string[]): Promise<readonly InvoiceRow[]> {
  if (ids.length === 0) return []
  // The count is taken before the first invoice is locked.
  work.lock(sql`
    WITH held AS (
      SELECT o.id FROM orders AS o WHERE o.id IN (SELECT i.order_id FROM invoices AS i WHERE i.id = ANY(${ids}::uuid[]))
      ORDER BY o.id FOR UPDATE OF o
    )
    SELECT i.id FROM invoices AS i WHERE i.id = ANY(${ids}::uuid[]) AND (SELECT count(*) FROM held) >= 0 ORDER BY i.id FOR UPDATE OF i`)
  return readInvoices(work, ids)
}

/** The invoice that the store itself has named, locked. */
export async function lockInvoice(work: Work, id: string): Promise<InvoiceRow> {
  const [row] = await lockInvoices(work, [id])
  if (row === undefined) throw new Error('an index names an invoice that is not there')
  return row
}

/** Reads invoices that are locked, in the order of their ids. */
export async function readInvoices(work: Work, ids: readonly string[]): Promise<readonly InvoiceRow[]> {
  if (ids.length === 0) return []
  const rows = await work.rows<InvoiceColumns>(selectInvoices(sql`i.id = ANY(${ids}::uuid[])`, sql`ORDER BY i.id`))
  return rows.map(toRow)
}

/** The life of locked invoices, in PostgreSQL: the open ones and those found paid stand in tables of their own. */
export class PostgresInvoiceLife implements life.InvoiceLife<InvoiceRow>, life.Matches<InvoiceRow> {
  constructor(protected readonly work: Work) {}

  get nowMs(): number {
    return this.work.nowMs
  }

  isCovered({ atoms, received }: InvoiceRow): boolean {
    return isCovered(atoms, received)
  }

  outlivesExpiry({ atoms, received, orderId }: InvoiceRow): boolean {
    return outlives(atoms, received, orderId !== null)
  }

  isPaid(row: InvoiceRow): boolean {
    return isPaidNow(row)
  }

  end(row: InvoiceRow, { expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry }: Ending): InvoiceRow {
    const { work } = this
    const state = voidedAt !== null ? STATE.void : acceptedAt !== null ? STATE.accepted : row.state
    const isOver = state !== row.state
    changeInvoice(work, row, {
      ...(isOver ? { state } : {}),
      ...(voidedAt === null ? { hasOutlivedExpiry } : { voidedAt }),
      ...(acceptedAt === null ? {} : { acceptedAt }),
    })
    if (isOver && row.state === STATE.open) leaveOpen(work, row)
    if (isOver && row.state === STATE.paid) leavePaid(work, row)
    if (voidedAt !== null) enterVoid(work, [{ ...row, voidedAt }])
    return { ...row, state, expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry }
  }

  revive(row: InvoiceRow, { expiresAt, hasOutlivedExpiry }: Ending): InvoiceRow {
    const { work } = this
    const revived = { ...row, state: STATE.open, expiresAt, voidedAt: null, acceptedAt: null, hasOutlivedExpiry }
    leaveVoid(work, row)
    changeInvoice(work, row, { state: STATE.open, isRevived: true, hasOutlivedExpiry })
    enterOpen(work, [revived])
    return revived
  }

  enterPaid(row: InvoiceRow): void {
    leaveOpen(this.work, row)
    enterPaid(this.work, row, row.matches)
    changeInvoice(this.work, row, { state: STATE.paid })
  }

  enterOpen(row: InvoiceRow): void {
    leavePaid(this.work, row)
    enterOpen(this.work, [row])
    changeInvoice(this.work, row, { state: STATE.open })
  }

  log(type: InvoiceEventType, row: InvoiceRow): void {
    logInvoice(this.work, type, row)
  }

  change(row: InvoiceRow, { matches, seen, confirmed }: life.MatchChange): number {
    changeInvoice(this.work, row, { matches, matchedSeen: seen, matchedConfirmed: confirmed })
    return row.matches
  }

  mark(row: InvoiceRow, isMatched: boolean): void {
    if (row.state === STATE.paid) markMatched(this.work, row, isMatched)
  }
}

/** The row of a locked invoice, with its expiry decided if it is due. */
export function decideExpiryOf(work: Work, row: InvoiceRow): InvoiceRow {
  return life.decideExpiryOf(new PostgresInvoiceLife(work), row)
}

/** Settles a locked open invoice if it turns out to be paid, and decides its expiry. Answers what has become of it. */
export function settleIfPaid(work: Work, open: InvoiceRow): life.Standing {
  return life.settleIfPaid(new PostgresInvoiceLife(work), open)
}

export function isPaidNow({ atoms, received }: InvoiceRow): boolean {
  return isPaid(atoms, received.confirmed)
}

/** Brings the matches of a locked invoice up to date with a deposit. */
export function changeMatch(work: Work, row: InvoiceRow, by: life.MatchChange): void {
  life.changeMatch(new PostgresInvoiceLife(work), row, by)
}

/** A confirmed deposit left the account of a wallet: invoices created before it may be unpaid again. */
export function reopen(work: Work, walletId: string, account: Account, receivedAt: number): Asking<void> {
  return life.reopen(new PostgresInvoiceLife(work), new PaidOnWallet(work, walletId, account), receivedAt)
}

class PaidOnWallet implements life.PaidInvoices<InvoiceRow> {
  constructor(
    private readonly work: Work,
    private readonly walletId: string,
    private readonly account: Account,
  ) {}

  async greatest(): Promise<bigint | null> {
    const row = await this.work.row<{ atoms: bigint }>(
      sql`SELECT atoms FROM paid_amounts WHERE wallet_id = ${this.walletId} AND currency = ${this.account.currency}`,
    )
    return row?.atoms ?? null
  }

  confirmedAfter(timeMs: number): Promise<bigint> {
    return confirmedAfter(this.work, this.account, timeMs)
  }

  async between(fromMs: number, beforeMs: number): Promise<readonly InvoiceRow[]> {
    const places = await this.work.rows<{ invoice_id: string }>(sql`
      SELECT p.invoice_id FROM paid_places AS p JOIN invoices AS i ON i.id = p.invoice_id
      WHERE p.wallet_id = ${this.walletId} AND p.currency = ${this.account.currency}
        AND i.created_at >= ${fromMs}::bigint AND i.created_at < ${beforeMs}::bigint`)
    const rows = await lockInvoices(
      this.work,
      places.map(({ invoice_id }) => invoice_id),
    )
    const paid = rows.filter(({ state }) => state === STATE.paid)
    // What opens again depends on what comes to any of its wallets, and what comes there on that it is open.
    this.work.wallets.need(paid.filter((row) => !isPaidNow(row)).flatMap(({ walletIds }) => walletIds))
    return paid
  }
}

/** Expiries that one unit decides. More fall due between two units only when thousands were made to expire together. */
const EXPIRED_AT_ONCE = 100

/** Wallets that they may have together, beyond those of the first: what came to each of them is summed up. */
const EXPIRED_WALLETS = 500

/** What is due to expire, and how many wallets it has. */
export interface Due {
  readonly id: string
  readonly wallets: number
}

/**
 * Decides the expiries that are due: an invoice that was to expire before a deposit does not live on because of it. False when
 * there may be more.
 */
export async function expireDue(work: Work): Promise<boolean> {
  // Both are on their way at once. One that falls due between them is not decided.
  const [, due] = await Promise.all([work.readClock(), work.rows<Due>(selectDue(work.now, EXPIRED_AT_ONCE))])
  const ids = firstOfDue(due)
  const rows = await lockInvoices(work, ids)
  for (const row of rows.toSorted(byExpiry)) decideExpiryOf(work, row)
  return ids.length < EXPIRED_AT_ONCE && ids.length === due.length
}

/** The ids of what is decided in one unit. */
export function firstOfDue(due: readonly Due[]): readonly string[] {
  let wallets = 0
  const taken = due.filter((one) => {
    const isFirst = wallets === 0
    wallets += one.wallets
    return isFirst || wallets <= EXPIRED_WALLETS
  })
  return taken.map(({ id }) => id)
}

/** In the order in which they expire, which is that of their events. */
function byExpiry(one: InvoiceRow, other: InvoiceRow): number {
  return (one.expiresAt ?? 0) - (other.expiresAt ?? 0) || (one.id < other.id ? -1 : 1)
}

/** The invoices whose expiry is due and not decided, as `Due`. */
export function selectDue(now: Fragment, limit: number): Fragment {
  return sql`SELECT i.id, cardinality(i.wallet_ids) AS wallets FROM invoices AS i
    WHERE i.expires_at <= ${now} AND i.voided_at IS NULL AND NOT i.has_outlived_expiry ORDER BY i.expires_at LIMIT ${limit}::bigint`
}

/** Enters what became of an invoice into the log of its owner. */
export function logInvoice(
  work: Work,
  type: InvoiceEventType,
  { id, invoice }: Pick<InvoiceRow, 'id' | 'invoice'>,
): void {
  work.log(invoice.owner, { type, invoiceId: id, data: null })
}
