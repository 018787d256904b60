import type { Currency } from '../../../domain/amount.js'
import type { CandidateSearch } from '../../../domain/deposit.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { CALLBACK, type Callback, firstIdAt, type InvoiceRow, STATE } from '../invoices/invoice-rows.js'
import { decided, isUnpaid, lockInvoice, lockInvoices } from '../invoices/settle.js'

/** A deposit that needs the invoice that it notifies. */
export interface Seeker {
  readonly walletId: string
  /** The wallet's present owner. */
  readonly owner: string
  readonly currency: Currency
  readonly atoms: bigint
  readonly receivedAt: number
  readonly hasDefaultCallback: boolean
}

interface Head {
  readonly set_id: Buffer
  readonly callback: Callback
  readonly invoice_id: string
}

interface Walk {
  readonly found: InvoiceRow | null
  readonly left: number
  /** False when paid invoices may be left. */
  readonly isDone: boolean
}

/** The candidates for a deposit: a few seeks for each search, however long the history of the wallet is. What it answers is locked. */
export class Candidates implements CandidateSearch<InvoiceRow, Promise<InvoiceRow | null>> {
  private readonly callbacks: readonly Callback[]
  /** Those of the wallet's present owner in the deposit's currency. */
  private readonly ofOwner: Fragment
  private readonly isOlder: Fragment
  /** What the last search by amount has found; undefined before the first. */
  ofAmount: InvoiceRow | null | undefined

  constructor(
    private readonly work: Work,
    readonly seeker: Seeker,
  ) {
    const { walletId, owner, currency, receivedAt, hasDefaultCallback } = seeker
    this.callbacks = hasDefaultCallback ? [CALLBACK.own, CALLBACK.default] : [CALLBACK.own]
    this.ofOwner = sql`p.wallet_id = ${walletId} AND p.owner = ${owner} AND p.currency = ${currency}`
    this.isOlder = sql`p.invoice_id < ${firstIdAt(receivedAt)}::uuid`
  }

  /** The same as before as long as the unit has not changed it: the wallet is locked, so it gets no other invoices. */
  async newestUnmatchedOfAmount(): Promise<InvoiceRow | null> {
    const known = this.ofAmount ?? null
    if (known === null || this.work.hasTouched(known.id)) await searchByAmount(this.work, [this])
    return this.ofAmount ?? null
  }

  async oldestUnpaid(): Promise<InvoiceRow | null> {
    return (await this.walk(Number.POSITIVE_INFINITY)).found
  }

  /**
   * Settles paid invoices that stand before the oldest unpaid one, as long as they have no more than `places` wallets
   * together, each counted for each invoice. Answers how many are left of `places`, and whether nothing is left to settle.
   */
  async settle(places: number): Promise<{ readonly left: number; readonly isDone: boolean }> {
    if (this.ofAmount === undefined) await searchByAmount(this.work, [this])
    return this.ofAmount === null ? this.walk(places) : { left: places, isDone: true }
  }

  /** Called when none is unpaid, so all of them have been settled. */
  async newest(): Promise<InvoiceRow | null> {
    const [found] = await this.work.rows<{ invoice_id: string }>(sql`
      SELECT newest.invoice_id FROM unnest(${this.callbacks}::smallint[]) AS c (callback) CROSS JOIN LATERAL (
        SELECT p.invoice_id FROM paid_places AS p WHERE ${this.ofOwner} AND p.callback = c.callback AND ${this.isOlder}
        ORDER BY p.invoice_id DESC LIMIT 1
      ) AS newest ORDER BY newest.invoice_id DESC LIMIT 1`)
    return found === undefined ? null : lockInvoice(this.work, found.invoice_id)
  }

  /** The oldest unpaid one; settles the paid ones before it, until nothing is left of `places`. */
  private async walk(places: number): Promise<Walk> {
    const heads = [...(await this.heads())]
    for (let left = places; ; ) {
      const head = heads.sort((a, b) => (a.invoice_id < b.invoice_id ? -1 : 1)).shift()
      if (head === undefined) return { found: null, left: Math.max(left, 0), isDone: true }
      if (left <= 0) return { found: null, left: 0, isDone: false }
      const row = decided(this.work, await lockInvoice(this.work, head.invoice_id))
      if (row.state === STATE.open) {
        if (isUnpaid(this.work, row)) return { found: row, left, isDone: true }
        left -= row.walletIds.length
      }
      const next = await this.next(head)
      if (next !== undefined) heads.push(next)
    }
  }

  /** The oldest open invoice of each set of wallets and callback. The sets are found one from the other. */
  private heads(): Promise<readonly Head[]> {
    return this.work.rows<Head>(sql`
      WITH RECURSIVE sets AS (
        (SELECT p.set_id FROM open_places AS p WHERE ${this.ofOwnerAlone} ORDER BY p.set_id LIMIT 1)
        UNION ALL
        SELECT (SELECT p.set_id FROM open_places AS p WHERE ${this.ofOwnerAlone} AND p.set_id > sets.set_id
          ORDER BY p.set_id LIMIT 1) FROM sets WHERE sets.set_id IS NOT NULL
      )
      SELECT sets.set_id, c.callback, oldest.invoice_id FROM sets CROSS JOIN unnest(${this.callbacks}::smallint[]) AS c (callback)
      CROSS JOIN LATERAL (
        SELECT p.invoice_id FROM open_places AS p
        WHERE ${this.ofOwner} AND p.set_id = sets.set_id AND p.callback = c.callback AND ${this.isOlder}
        ORDER BY p.invoice_id LIMIT 1
      ) AS oldest`)
  }

  private get ofOwnerAlone(): Fragment {
    return sql`p.wallet_id = ${this.seeker.walletId} AND p.owner = ${this.seeker.owner}`
  }

  private next({ set_id, callback, invoice_id }: Head): Promise<Head | undefined> {
    return this.work.row<Head>(sql`
      SELECT p.set_id, p.callback, p.invoice_id FROM open_places AS p
      WHERE ${this.ofOwner} AND p.set_id = ${set_id} AND p.callback = ${callback}::smallint AND ${this.isOlder}
        AND p.invoice_id > ${invoice_id}::uuid
      ORDER BY p.invoice_id LIMIT 1`)
  }
}

/** Searches by the amounts of several deposits at once. What it finds is locked. */
export async function searchByAmount(work: Work, searches: readonly Candidates[]): Promise<void> {
  if (searches.length === 0) return
  const column = <T>(of: (seeker: Seeker) => T) => searches.map(({ seeker }) => of(seeker))
  const isOurs = sql`p.wallet_id = asked.wallet_id AND p.owner = asked.owner AND p.currency = asked.currency
    AND p.atoms = asked.atoms AND p.invoice_id < asked.before`
  const found = await work.rows<{ readonly no: number; readonly invoice_id: string }>(sql`
    SELECT asked.no, found.invoice_id FROM unnest(
      ${searches.map((_, i) => i)}::bigint[], ${column(({ walletId }) => walletId)}::text[], ${column(({ owner }) => owner)}::text[],
      ${column(({ currency }) => currency)}::text[], ${column(({ atoms }) => atoms)}::numeric[],
      ${column(({ receivedAt }) => firstIdAt(receivedAt))}::uuid[],
      ${column(({ hasDefaultCallback }) => hasDefaultCallback)}::boolean[]
    ) AS asked (no, wallet_id, owner, currency, atoms, before, has_default)
    CROSS JOIN (VALUES (${CALLBACK.own}::smallint), (${CALLBACK.default}::smallint)) AS c (callback)
    CROSS JOIN LATERAL (
      (SELECT p.invoice_id FROM open_places AS p WHERE ${isOurs} AND p.callback = c.callback)
      UNION ALL
      (SELECT p.invoice_id FROM paid_places AS p WHERE ${isOurs} AND p.callback = c.callback AND p.is_unmatched
        ORDER BY p.invoice_id DESC LIMIT 1)
    ) AS found
    WHERE c.callback = ${CALLBACK.own}::smallint OR asked.has_default`)
  const locked = await lockInvoices(work, [...new Set(found.map(({ invoice_id }) => invoice_id))])
  const rows = new Map(locked.map((row) => [row.id, decided(work, row)]))
  for (const [i, search] of searches.entries()) {
    const candidates = found.filter(({ no }) => no === i).flatMap(({ invoice_id }) => rows.get(invoice_id) ?? [])
    search.ofAmount = newestUnmatched(candidates)
  }
}

function newestUnmatched(rows: readonly InvoiceRow[]): InvoiceRow | null {
  const unmatched = rows.filter((row) => row.state !== STATE.void && row.matches === 0)
  return unmatched.sort((a, b) => (a.id < b.id ? -1 : 1)).at(-1) ?? null
}
