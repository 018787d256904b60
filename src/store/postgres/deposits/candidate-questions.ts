import type { Currency } from '../../../domain/amount.js'
import { CALLBACK, type Callback } from '../../rules/callbacks.js'
import { Questions } from '../connection/questions.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { firstIdAt, type InvoiceRow } from '../invoices/invoice-rows.js'
import type { LockedInvoices } from '../invoices/locked-invoices.js'

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

  constructor(
    private readonly work: Work,
    private readonly invoices: LockedInvoices,
  ) {}

  send(): void {
    for (const kind of [this.ofAmount, this.heads, this.next, this.newest]) kind.send()
  }

  private async searchByAmount(seekers: readonly Seeker[]): Promise<readonly (readonly InvoiceRow[])[]> {
    const found = await this.work.rows<Found>(sql`
      SELECT asked.no, found.invoice_id FROM ${asked(seekers)} CROSS JOIN ${CALLBACKS} CROSS JOIN LATERAL (
        (SELECT p.invoice_id FROM open_places AS p
          WHERE ${IS_OF_OWNER} AND p.atoms = asked.atoms AND ${IS_OLDER} AND p.callback = c.callback)
        UNION ALL
        (SELECT p.invoice_id FROM paid_places AS p
          WHERE ${IS_OF_OWNER} AND p.atoms = asked.atoms AND ${IS_OLDER} AND p.callback = c.callback AND p.is_unmatched
          ORDER BY p.invoice_id DESC LIMIT 1)
      ) AS found WHERE ${IS_NOTIFIED}`)
    const rows = await this.invoices.lock(found.map(({ invoice_id }) => invoice_id))
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
        ) AS oldest WHERE ${IS_NOTIFIED}
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

  /** The newest invoice that was found paid. */
  private async searchNewest(seekers: readonly Seeker[]): Promise<readonly (InvoiceRow | null)[]> {
    const found = await this.work.rows<Found>(sql`
      SELECT asked.no, newest.invoice_id FROM ${asked(seekers)} CROSS JOIN LATERAL (
        SELECT last.invoice_id FROM ${CALLBACKS} CROSS JOIN LATERAL (
          SELECT p.invoice_id FROM paid_places AS p WHERE ${IS_OF_OWNER} AND p.callback = c.callback AND ${IS_OLDER}
          ORDER BY p.invoice_id DESC LIMIT 1
        ) AS last WHERE ${IS_NOTIFIED} ORDER BY last.invoice_id DESC LIMIT 1
      ) AS newest`)
    const rows = await this.invoices.lock(found.map(({ invoice_id }) => invoice_id))
    const answers = new Map(found.map(({ no, invoice_id }) => [no, rows.get(invoice_id)]))
    return seekers.map((_, no) => answers.get(no) ?? null)
  }
}

const CALLBACKS = sql`(VALUES (${CALLBACK.own}::smallint), (${CALLBACK.default}::smallint)) AS c (callback)`
/** Whether a place `p` is of the wallet's present owner, in the deposit's currency. */
const IS_OF_OWNER = sql`p.wallet_id = asked.wallet_id AND p.owner = asked.owner AND p.currency = asked.currency`
const IS_OLDER = sql`p.invoice_id < asked.before`
/** Whether the callback `c` resolves. */
const IS_NOTIFIED = sql`(c.callback = ${CALLBACK.own}::smallint OR asked.has_default)`

/** The seekers as `asked`, numbered in order. */
function asked(seekers: readonly Seeker[]): Fragment {
  const column = <T>(of: (seeker: Seeker) => T) => seekers.map(of)
  return sql`unnest(
      ${seekers.map((_, no) => no)}::bigint[], ${column(({ walletId }) => walletId)}::text[], ${column(({ owner }) => owner)}::text[],
      ${column(({ currency }) => currency)}::text[], ${column(({ atoms }) => atoms)}::numeric[],
      ${column(({ receivedAt }) => firstIdAt(receivedAt))}::uuid[],
      ${column(({ hasDefaultCallback }) => hasDefaultCallback)}::boolean[]
    ) AS asked (no, wallet_id, owner, currency, atoms, before, has_default)`
}

function toHead({ set_id: setId, callback, invoice_id: id }: FoundHead): Head {
  return { setId, callback, id }
}
