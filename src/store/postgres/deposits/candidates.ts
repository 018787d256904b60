import type { Currency } from '../../../domain/amount.js'
import type { CandidateSearch } from '../../../domain/deposit.js'
import { CALLBACK, type Callback } from '../../rules/callbacks.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { firstIdAt, type InvoiceRow, STATE } from '../invoices/invoice-rows.js'
import { decideExpiryOf, lockInvoice, lockInvoices, settleIfPaid } from '../invoices/settle.js'

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
  /** What the last walk has found; undefined before the first. */
  unpaid: InvoiceRow | null | undefined
  /** What the last search for the newest has found; undefined before the first. */
  last: InvoiceRow | null | undefined
  /** Where the last walk stands. Open invoices of the wallet only become fewer, so another one can go on from there. */
  private heads: Head[] | null = null

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
    const known = this.ofAmount
    if (known === undefined || (known !== null && this.work.hasTouched(known.id)))
      await searchByAmount(this.work, [this])
    return this.ofAmount ?? null
  }

  async oldestUnpaid(): Promise<InvoiceRow | null> {
    if (!this.isStill(this.unpaid)) await this.walk(Number.POSITIVE_INFINITY)
    return this.unpaid ?? null
  }

  /** Called when none is unpaid, so all of them have been settled. */
  async newest(): Promise<InvoiceRow | null> {
    if (!this.isStill(this.last)) {
      const id = await this.newestId()
      this.last = id === null ? null : await lockInvoice(this.work, id)
    }
    return this.last ?? null
  }

  /**
   * Settles paid invoices that stand before the oldest unpaid one, as long as they have no more than `places` wallets
   * together, each counted for each invoice. Answers how many are left of `places`, and whether nothing is left to settle.
   * `rows`: invoices that have been read since they were locked.
   */
  async walk(places: number, rows?: ReadonlyMap<string, InvoiceRow>): Promise<Walk> {
    const heads = await this.readHeads()
    for (let left = places; ; heads.shift()) {
      const [head] = heads.sort((one, other) => (one.invoice_id < other.invoice_id ? -1 : 1))
      this.unpaid = head === undefined ? null : undefined
      if (head === undefined) return { left: Math.max(left, 0), isDone: true }
      if (left <= 0) return { left: 0, isDone: false }
      const id = head.invoice_id
      const read = this.work.hasTouched(id) ? undefined : rows?.get(id)
      const row = decideExpiryOf(this.work, read ?? (await lockInvoice(this.work, id)))
      if (row.state === STATE.open) {
        if (settleIfPaid(this.work, row) === 'open') {
          this.unpaid = row
          return { left, isDone: true }
        }
        left -= row.walletIds.length
      }
      const next = await this.next(head)
      if (next !== undefined) heads.push(next)
    }
  }

  /** The ids of the invoices with which a walk begins. */
  async firstIds(): Promise<readonly string[]> {
    return (await this.readHeads()).map(({ invoice_id }) => invoice_id)
  }

  /** The id of the newest invoice that was found paid; null for none. */
  async newestId(): Promise<string | null> {
    const found = await this.work.row<{ invoice_id: string }>(sql`
      SELECT newest.invoice_id FROM unnest(${this.callbacks}::smallint[]) AS c (callback) CROSS JOIN LATERAL (
        SELECT p.invoice_id FROM paid_places AS p WHERE ${this.ofOwner} AND p.callback = c.callback AND ${this.isOlder}
        ORDER BY p.invoice_id DESC LIMIT 1
      ) AS newest ORDER BY newest.invoice_id DESC LIMIT 1`)
    return found?.invoice_id ?? null
  }

  /** Whether what was found is as it was: no deposit of the unit counts for it, and the wallet's invoices stand where they stood. */
  private isStill(found: InvoiceRow | null | undefined): boolean {
    const walletIds = [this.seeker.walletId, ...(found?.walletIds ?? [])]
    return found !== undefined && walletIds.every((id) => this.work.isAsBefore(id))
  }

  /** The oldest open invoice of each set of wallets and callback. The sets are found one from the other. */
  private async readHeads(): Promise<Head[]> {
    if (this.heads !== null) return this.heads
    const heads = await this.work.rows<Head>(sql`
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
    this.heads ??= [...heads]
    return this.heads
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

/**
 * Searches for several deposits at once, in the order in which a choice does. Of the paid invoices that it meets it settles those that
 * stand on no more than `places` wallets together, and answers the searches for which there are more.
 */
export async function searchAll(
  work: Work,
  searches: readonly Candidates[],
  places: number,
): Promise<ReadonlySet<Candidates>> {
  await searchByAmount(work, searches)
  const unmatched = searches.filter(({ ofAmount }) => ofAmount === null)
  const rows = await lockNamed(work, (await Promise.all(unmatched.map((search) => search.firstIds()))).flat())
  const unsettled = new Set<Candidates>()
  let left = places
  for (const search of unmatched) {
    const walk = await search.walk(left, rows)
    left = walk.left
    if (!walk.isDone) unsettled.add(search)
  }
  await searchNewest(
    work,
    unmatched.filter((search) => search.unpaid === null),
  )
  return unsettled
}

async function searchNewest(work: Work, searches: readonly Candidates[]): Promise<void> {
  const ids = await Promise.all(searches.map((search) => search.newestId()))
  const rows = await lockNamed(
    work,
    ids.filter((id) => id !== null),
  )
  for (const [i, search] of searches.entries()) search.last = rows.get(ids[i] ?? '') ?? null
}

/** Locks and reads invoices, by their ids. */
async function lockNamed(work: Work, ids: readonly string[]): Promise<ReadonlyMap<string, InvoiceRow>> {
  return new Map((await lockInvoices(work, [...new Set(ids)])).map((row) => [row.id, row]))
}

/** Searches by the amounts of several deposits at once. What it finds is locked. */
async function searchByAmount(work: Work, searches: readonly Candidates[]): Promise<void> {
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
  const locked = await lockNamed(
    work,
    found.map(({ invoice_id }) => invoice_id),
  )
  const rows = new Map([...locked].map(([id, row]) => [id, decideExpiryOf(work, row)]))
  for (const [i, search] of searches.entries()) {
    const candidates = found.filter(({ no }) => no === i).flatMap(({ invoice_id }) => rows.get(invoice_id) ?? [])
    search.ofAmount = newestUnmatched(candidates)
  }
}

function newestUnmatched(rows: readonly InvoiceRow[]): InvoiceRow | null {
  const unmatched = rows.filter((row) => row.state !== STATE.void && row.matches === 0)
  return unmatched.sort((a, b) => (a.id < b.id ? -1 : 1)).at(-1) ?? null
}
