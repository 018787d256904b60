import type { Currency } from '../../../domain/amount.js'
import type { Effect } from '../connection/effects.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/*
 * What was received on an address in a currency. Time is divided into spans of 1 ms, and of 2¹², 2¹⁸, 2²⁴ and 2³⁰ ms, which are 4 s, 4
 * minutes, 5 hours and 12 days. `received_spans` has a row for each span of each size in which something was received. The sum after a
 * moment is made of the spans of each size that follow the moment within the next larger span: at most 63 rows of a size, but for the
 * longest, of which there are 30 in a year, and for those ms of 4 s in which something was received. A deposit changes one row of each
 * size, however late it comes.
 */

/** Binary digits of the length of each size of spans, in ms, and of the next larger one; behind the largest all time is one. */
const SIZES = sql`(VALUES (0, 12), (12, 18), (18, 24), (24, 30), (30, 62)) AS size (shift, larger)`

/** That of the spans of one ms: each has what was received in it. */
export const SHORTEST_SHIFT = 0

/**
 * The spans of an account that make up the time after a moment (`bigint`), as `s`. Each size is a search of its own: `OFFSET 0` keeps the
 * planner from reading all that the account has ever received, and choosing among it, where its statistics say that this is little.
 */
function spansAfter(addressId: Fragment, currency: Fragment, moment: Fragment): Fragment {
  return sql`${SIZES} CROSS JOIN LATERAL (
      SELECT one.seen, one.confirmed, one.unmatched_seen, one.unmatched_confirmed FROM received_spans AS one
      WHERE one.address_id = ${addressId} AND one.currency = ${currency} AND one.shift = size.shift
        AND one.start >= ((((${moment} >> size.shift) + 1) << size.shift))
        AND one.start < ((((${moment} >> size.larger) + 1) << size.larger))
      OFFSET 0
    ) AS s`
}

/**
 * To be joined to `invoices AS i`: `received`, what counts for the invoice, in atoms, and what of it is matched to no invoice. A deposit
 * counts when it was received after the invoice was created.
 */
export const RECEIVED = sql`CROSS JOIN LATERAL (
    SELECT coalesce(sum(s.confirmed), 0) AS confirmed, coalesce(sum(s.seen - s.confirmed), 0) AS pending,
      coalesce(sum(s.unmatched_confirmed), 0) AS unmatched_confirmed,
      coalesce(sum(s.unmatched_seen - s.unmatched_confirmed), 0) AS unmatched_pending
    FROM unnest(i.wallet_ids) AS payee (wallet_id)
    JOIN wallets AS w ON w.id = payee.wallet_id
    CROSS JOIN ${spansAfter(sql`w.address_id`, sql`i.currency`, sql`i.created_at`)}
  ) AS received`

/** Selects the rows of `received_spans` that the deposits call for. */
export const sumsOfDeposits = sql`
  SELECT d.address_id, d.counted_as AS currency, size.shift::smallint AS shift, (d.received_at >> size.shift) << size.shift AS start,
    sum(d.atoms) AS seen, coalesce(sum(d.atoms) FILTER (WHERE d.kind = 'confirmed'), 0) AS confirmed,
    coalesce(sum(d.atoms) FILTER (WHERE d.invoice_id IS NULL), 0) AS unmatched_seen,
    coalesce(sum(d.atoms) FILTER (WHERE d.kind = 'confirmed' AND d.invoice_id IS NULL), 0) AS unmatched_confirmed
  FROM deposits AS d CROSS JOIN ${SIZES} WHERE d.counted_as IS NOT NULL AND d.kind <> 'dropped' GROUP BY 1, 2, 3, 4`

/** Selects what the deposits are worth that are matched to each invoice and qualify for it. */
export const sumsOfMatches = sql`
  SELECT d.invoice_id, sum(d.atoms) AS seen, coalesce(sum(d.atoms) FILTER (WHERE d.kind = 'confirmed'), 0) AS confirmed
  FROM deposits AS d JOIN invoices AS i ON i.id = d.invoice_id JOIN wallets AS w ON w.address_id = d.address_id
  WHERE d.kind <> 'dropped' AND d.counted_as = i.currency AND d.received_at > i.created_at AND w.id = ANY(i.wallet_ids)
  GROUP BY d.invoice_id`

/** Names an account: the deposits to an address in one currency. */
export interface Account {
  readonly addressId: number
  readonly currency: Currency
}

/** A deposit that enters the sums of an account, or leaves them where the amounts are negative. Amounts are atoms. */
interface SumChange extends Account {
  readonly receivedAt: number
  readonly seen: bigint
  readonly confirmed: bigint
  /** The same where the deposit is matched to no invoice. */
  readonly unmatchedSeen: bigint
  readonly unmatchedConfirmed: bigint
}

const SUM_CHANGES: Effect<SumChange> = {
  table: 'received_spans',
  nameOf: null,
  statement: (changes) => sql`
    INSERT INTO received_spans AS known (address_id, currency, shift, start, seen, confirmed, unmatched_seen, unmatched_confirmed)
    ${hasSharedSpans(changes) ? addedUp(spansOf(changes)) : spansOf(changes)}
    ON CONFLICT (address_id, currency, shift, start) DO UPDATE
      SET seen = known.seen + excluded.seen, confirmed = known.confirmed + excluded.confirmed,
        unmatched_seen = known.unmatched_seen + excluded.unmatched_seen,
        unmatched_confirmed = known.unmatched_confirmed + excluded.unmatched_confirmed`,
}

/** Whether several changes are of one account, so that they may change the same rows. */
function hasSharedSpans(changes: readonly SumChange[]): boolean {
  return new Set(changes.map(({ addressId, currency }) => `${addressId} ${currency}`)).size < changes.length
}

/** Selects what changes of the span of each size, a row for each change. */
function spansOf(changes: readonly SumChange[]): Fragment {
  const column = <T>(of: (change: SumChange) => T) => changes.map(of)
  return sql`
    SELECT d.address_id, d.currency, size.shift::smallint AS shift, (d.received_at >> size.shift) << size.shift AS start, d.seen,
      d.confirmed, d.unmatched_seen, d.unmatched_confirmed
    FROM unnest(
      ${column(({ addressId }) => addressId)}::bigint[], ${column(({ currency }) => currency)}::text[],
      ${column(({ receivedAt }) => receivedAt)}::bigint[], ${column(({ seen }) => seen)}::numeric[],
      ${column(({ confirmed }) => confirmed)}::numeric[], ${column(({ unmatchedSeen }) => unmatchedSeen)}::numeric[],
      ${column(({ unmatchedConfirmed }) => unmatchedConfirmed)}::numeric[]
    ) AS d (address_id, currency, received_at, seen, confirmed, unmatched_seen, unmatched_confirmed) CROSS JOIN ${SIZES}`
}

/** A statement changes a row once. Adding up costs a third of it, so it is left out where each row has one change. */
function addedUp(spans: Fragment): Fragment {
  return sql`
    SELECT address_id, currency, shift, start, sum(seen), sum(confirmed), sum(unmatched_seen), sum(unmatched_confirmed)
    FROM (${spans}) AS one GROUP BY 1, 2, 3, 4`
}

/** Adds a deposit to the sums, or takes it out. */
export function addToSums(work: Work, change: SumChange): void {
  work.effect(SUM_CHANGES, change)
}

/** What was confirmed strictly after a moment, atoms. */
export async function confirmedAfter(work: Work, { addressId, currency }: Account, timeMs: number): Promise<bigint> {
  const row = await work.row<{ confirmed: bigint }>(sql`
    SELECT coalesce(sum(s.confirmed), 0) AS confirmed
    FROM ${spansAfter(sql`${addressId}::bigint`, sql`${currency}::text`, sql`${timeMs}::bigint`)}`)
  return row?.confirmed ?? 0n
}
