import type { Currency } from '../../../domain/amount.js'
import { firstIdAt } from '../../../domain/id.js'
import { CALLBACK, type Callback } from '../../rules/callbacks.js'
import { SIMILAR_EXAMINED_MAX, VOID_EXAMINED_MAX } from '../../rules/match-deposit.js'
import { Questions } from '../connection/questions.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { type InvoiceRow, STATE } from '../invoices/invoice-rows.js'
import type { LockedInvoices } from '../invoices/locked-invoices.js'

/** A deposit that is to be matched. */
export interface Seeker {
  readonly walletId: string
  /** The wallet's present owner. */
  readonly owner: string
  readonly currency: Currency
  readonly atoms: bigint
  /** The smallest amount of the coin or token. */
  readonly unit: bigint
  readonly receivedAt: number
  readonly hasDefaultCallback: boolean
}

/** The newest invoice of a callback. */
export interface Newest {
  readonly callback: Callback
  readonly row: InvoiceRow
}

interface VoidSince {
  readonly seeker: Seeker
  readonly sinceMs: number
}

export interface Head {
  readonly setId: Buffer
  readonly callback: Callback
  readonly id: string
}

interface NextOf {
  readonly seeker: Seeker
  readonly head: Head
}

interface Found {
  /** Which of the questions it answers. */
  readonly no: number
  readonly invoice_id: string
}

interface FoundHead extends Found {
  readonly set_id: Buffer
  readonly callback: Callback
}

/** The searches for the candidates of several deposits, of each kind one statement. The invoices that they find are locked. */
export class CandidateQuestions {
  readonly ofAmount = new Questions((seekers: readonly Seeker[]) => this.searchByAmount(seekers))
  readonly heads = new Questions((seekers: readonly Seeker[]) => this.readHeads(seekers))
  readonly next = new Questions((asked: readonly NextOf[]) => this.readNext(asked))
  readonly newest = new Questions((seekers: readonly Seeker[]) => this.searchNewest(seekers))
  readonly lastVoid = new Questions((asked: readonly VoidSince[]) => this.searchLastVoid(asked))

  constructor(
    private readonly work: Work,
    private readonly invoices: LockedInvoices,
  ) {}

  send(): void {
    for (const kind of [this.ofAmount, this.heads, this.next, this.newest, this.lastVoid]) kind.send()
  }

  private async searchByAmount(seekers: readonly Seeker[]): Promise<readonly (readonly InvoiceRow[])[]> {
    const { found, rows } = await this.lockFound<Found>(sql`
      SELECT asked.no, found.invoice_id FROM ${asked(seekers)} CROSS JOIN ${CALLBACKS} CROSS JOIN LATERAL (
        (SELECT p.invoice_id FROM open_places AS p
          WHERE ${IS_OF_OWNER} AND ${ASKS_AMOUNT} AND ${IS_OLDER} AND p.callback = c.callback ORDER BY p.atoms DESC ${SIMILAR})
        UNION ALL
        (SELECT alike.invoice_id FROM (
            SELECT p.invoice_id FROM paid_places AS p
            WHERE ${IS_OF_OWNER} AND ${ASKS_AMOUNT} AND ${IS_OLDER} AND p.callback = c.callback AND p.is_unmatched
            ORDER BY p.atoms DESC, p.invoice_id DESC ${SIMILAR}
          ) AS alike ORDER BY alike.invoice_id DESC LIMIT 1)
      ) AS found`)
    const answers: InvoiceRow[][] = seekers.map(() => [])
    for (const { no, invoice_id } of found) {
      const row = rows.get(invoice_id)
      if (row !== undefined) answers[no]?.push(row)
    }
    return answers
  }

  /** The oldest open invoice of each set of wallets and callback. The sets are found one from the other. */
  private async readHeads(seekers: readonly Seeker[]): Promise<readonly (readonly Head[])[]> {
    const isOfOwnerAlone = sql`p.wallet_id = asked.wallet_id AND p.owner = asked.owner`
    const heads = await this.work.rows<FoundHead>(sql`
      SELECT asked.no, head.set_id, head.callback, head.invoice_id FROM ${asked(seekers)} CROSS JOIN LATERAL (
        WITH RECURSIVE sets AS (
          (SELECT p.set_id FROM open_places AS p WHERE ${isOfOwnerAlone} ORDER BY p.set_id LIMIT 1)
          UNION ALL
          SELECT (SELECT p.set_id FROM open_places AS p WHERE ${isOfOwnerAlone} AND p.set_id > sets.set_id
            ORDER BY p.set_id LIMIT 1) FROM sets WHERE sets.set_id IS NOT NULL
        )
        SELECT sets.set_id, c.callback, oldest.invoice_id FROM sets CROSS JOIN ${CALLBACKS} CROSS JOIN LATERAL (
          SELECT p.invoice_id FROM open_places AS p
          WHERE ${IS_OF_OWNER} AND p.set_id = sets.set_id AND p.callback = c.callback AND ${IS_OLDER}
          ORDER BY p.invoice_id LIMIT 1
        ) AS oldest
      ) AS head`)
    const answers: Head[][] = seekers.map(() => [])
    for (const head of heads) answers[head.no]?.push(toHead(head))
    return answers
  }

  private async readNext(next: readonly NextOf[]): Promise<readonly (Head | null)[]> {
    const heads = next.map(({ head }) => head)
    const found = await this.work.rows<FoundHead>(sql`
      SELECT asked.no, behind.set_id, behind.callback, next.invoice_id FROM ${asked(next.map(({ seeker }) => seeker))}
      JOIN unnest(
        ${heads.map((_, no) => no)}::bigint[], ${heads.map(({ setId }) => setId)}::bytea[],
        ${heads.map(({ callback }) => callback)}::smallint[], ${heads.map(({ id }) => id)}::uuid[]
      ) AS behind (no, set_id, callback, invoice_id) ON behind.no = asked.no
      CROSS JOIN LATERAL (
        SELECT p.invoice_id FROM open_places AS p
        WHERE ${IS_OF_OWNER} AND p.set_id = behind.set_id AND p.callback = behind.callback AND ${IS_OLDER}
          AND p.invoice_id > behind.invoice_id
        ORDER BY p.invoice_id LIMIT 1
      ) AS next`)
    const answers = new Map(found.map((head) => [head.no, toHead(head)]))
    return next.map((_, no) => answers.get(no) ?? null)
  }

  /** The newest invoice of each callback that was found paid. */
  private async searchNewest(seekers: readonly Seeker[]): Promise<readonly (readonly Newest[])[]> {
    const { found, rows } = await this.lockFound<Found & { readonly callback: Callback }>(sql`
      SELECT asked.no, c.callback, last.invoice_id FROM ${asked(seekers)} CROSS JOIN ${CALLBACKS} CROSS JOIN LATERAL (
        SELECT p.invoice_id FROM paid_places AS p WHERE ${IS_OF_OWNER} AND p.callback = c.callback AND ${IS_OLDER}
        ORDER BY p.invoice_id DESC LIMIT 1
      ) AS last`)
    const answers: Newest[][] = seekers.map(() => [])
    for (const { no, callback, invoice_id } of found) {
      const row = rows.get(invoice_id)
      if (row !== undefined) answers[no]?.push({ callback, row })
    }
    return answers
  }

  /**
   * Searches for open and paid invoices, and locks them. The wallet is locked, but a deposit to another one may end an invoice by way of its
   * order while this waits for it. Then it is no candidate, and the search is made again, since another one may be. What is locked ends no
   * more: each search that is made again has found one that ended just now.
   */
  private async lockFound<F extends Found>(
    search: Fragment,
  ): Promise<{ readonly found: readonly F[]; readonly rows: ReadonlyMap<string, InvoiceRow> }> {
    const ended = new Set<string>()
    for (;;) {
      const found = await this.work.rows<F>(search)
      const rows = new Map(await this.invoices.lock(found.map(({ invoice_id }) => invoice_id)))
      const { size } = ended
      for (const { id, state } of rows.values()) if (state !== STATE.open && state !== STATE.paid) ended.add(id)
      for (const id of ended) rows.delete(id)
      if (ended.size === size) return { found, rows }
    }
  }

  /** The invoice that became void last. Those that did behind the deposit may be younger than it, and only some of them are examined. */
  private async searchLastVoid(searches: readonly VoidSince[]): Promise<readonly (InvoiceRow | null)[]> {
    const seekers = searches.map(({ seeker }) => seeker)
    const newest = sql`ORDER BY p.voided_at DESC, p.invoice_id DESC LIMIT ${VOID_EXAMINED_MAX}::bigint`
    const found = await this.work.rows<Found>(sql`
      SELECT asked.no, last.invoice_id FROM ${asked(seekers)}
      JOIN unnest(
        ${searches.map((_, no) => no)}::bigint[], ${seekers.map(({ receivedAt }) => receivedAt)}::bigint[],
        ${searches.map(({ sinceMs }) => sinceMs)}::bigint[]
      ) AS late (no, received_at, since) ON late.no = asked.no
      CROSS JOIN LATERAL (
        SELECT p.invoice_id FROM (
          (SELECT p.voided_at, p.invoice_id FROM void_places AS p WHERE ${IS_OF_OWNER} AND p.voided_at > late.received_at ${newest})
          UNION ALL
          (SELECT p.voided_at, p.invoice_id FROM void_places AS p
            WHERE ${IS_OF_OWNER} AND p.voided_at <= late.received_at AND p.voided_at >= late.since ${newest})
        ) AS p WHERE ${IS_OLDER} ORDER BY p.voided_at DESC, p.invoice_id DESC LIMIT 1
      ) AS last`)
    const rows = await this.invoices.lock(found.map(({ invoice_id }) => invoice_id))
    const answers = new Map(found.map(({ no, invoice_id }) => [no, rows.get(invoice_id)]))
    return searches.map((_, no) => answers.get(no) ?? null)
  }
}

const CALLBACKS = sql`(VALUES (${CALLBACK.none}::smallint), (${CALLBACK.own}::smallint), (${CALLBACK.default}::smallint)) AS c (callback)`
/** Whether a place `p` is of the wallet's present owner, in the deposit's currency. */
const IS_OF_OWNER = sql`p.wallet_id = asked.wallet_id AND p.owner = asked.owner AND p.currency = asked.currency`
const IS_OLDER = sql`p.invoice_id < asked.before`
/** Whether the amount of a place, rounded up to what the coin can carry, is that of the deposit. */
const ASKS_AMOUNT = sql`p.atoms > asked.atoms - asked.unit AND p.atoms <= asked.atoms`
const SIMILAR = sql`LIMIT ${SIMILAR_EXAMINED_MAX}::bigint`

/** The seekers as `asked`, numbered in order. */
function asked(seekers: readonly Seeker[]): Fragment {
  const column = <T>(of: (seeker: Seeker) => T) => seekers.map(of)
  return sql`unnest(
      ${seekers.map((_, no) => no)}::bigint[], ${column(({ walletId }) => walletId)}::text[], ${column(({ owner }) => owner)}::text[],
      ${column(({ currency }) => currency)}::text[], ${column(({ atoms }) => atoms)}::numeric[],
      ${column(({ receivedAt }) => firstIdAt(receivedAt))}::uuid[], ${column(({ unit }) => unit)}::numeric[]
    ) AS asked (no, wallet_id, owner, currency, atoms, before, unit)`
}

function toHead({ set_id: setId, callback, invoice_id: id }: FoundHead): Head {
  return { setId, callback, id }
}
