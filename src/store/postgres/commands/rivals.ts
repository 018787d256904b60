import { type InvoiceRequest, WALLET_SETS_MAX } from '../../../domain/invoice.js'
import { isPaid, type Received } from '../../../domain/payment.js'
import { type Ending, outlives, voidedAtBy } from '../../../domain/voiding.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { walletsIn, walletsText } from '../invoices/wallets-text.js'
import { RECEIVED } from '../payments/sums.js'

/*
 * The open invoices that stand in the way of the creations of a batch.
 */

/** An open invoice, and what decides whether it is unpaid. */
export interface Rival extends Received {
  readonly invoice_id: string
  readonly order_id: string | null
  /** What has come for it alone, confirmed or not. */
  readonly own_confirmed: bigint
  readonly own_pending: bigint
  readonly atoms: bigint
  readonly expires_at: number | null
  readonly voided_at: number | null
  readonly accepted_at: number | null
  readonly has_outlived_expiry: boolean
}

interface RivalColumns extends Rival {
  readonly wallet_id: string
  readonly owner: string
  readonly currency: string
}

/** Where an invoice would be, and what it would ask. */
type Asked = Pick<InvoiceRequest, 'walletIds' | 'owner' | 'currency' | 'amount'>

/** The columns of a `Rival` but `atoms`, of `invoices AS i` with `RECEIVED` and of `p`, which has its id. */
export const RIVAL = sql`p.invoice_id, i.order_id, i.expires_at, i.voided_at, i.accepted_at, i.has_outlived_expiry, received.confirmed,
  received.pending, i.matched_confirmed + received.unmatched_confirmed AS own_confirmed,
  i.matched_seen - i.matched_confirmed + received.unmatched_pending AS own_pending`

/** Open invoices of the same amount on the same wallets, or of the same currency where invoices do not share wallets. */
export function readRivals(
  work: Work,
  requests: readonly Asked[],
  areWalletsShared: boolean,
): Promise<readonly RivalColumns[]> {
  const column = <T>(of: (asked: Asked) => T) => requests.map(of)
  const isRival = areWalletsShared ? sql`AND p.atoms = asked.atoms` : sql``
  return work.rows<RivalColumns>(sql`
    SELECT p.wallet_id, p.owner, p.currency, p.atoms, ${RIVAL}
    FROM (
      SELECT ${walletsIn(sql`a.wallet_ids`)} AS wallet_id, a.owner, a.currency, a.atoms FROM unnest(
        ${column(({ walletIds }) => walletsText(walletIds))}::text[], ${column(({ owner }) => owner)}::text[],
        ${column(({ currency }) => currency)}::text[], ${column(({ amount }) => amount)}::numeric[]
      ) AS a (wallet_ids, owner, currency, atoms)
    ) AS asked
    JOIN open_places AS p ON p.wallet_id = asked.wallet_id AND p.owner = asked.owner AND p.currency = asked.currency ${isRival}
    JOIN invoices AS i ON i.id = p.invoice_id ${RECEIVED}`)
}

/** Whether an open invoice is unpaid and not void, by the clock. */
export function isOpenNow(rival: Rival, nowMs: number): boolean {
  const { atoms, confirmed, pending, own_confirmed, own_pending, order_id } = rival
  const ending: Ending = {
    expiresAt: rival.expires_at,
    voidedAt: rival.voided_at,
    acceptedAt: rival.accepted_at,
    hasOutlivedExpiry: rival.has_outlived_expiry,
  }
  const sums = { confirmed, pending, own: { confirmed: own_confirmed, pending: own_pending } }
  return !isPaid(atoms, confirmed) && voidedAtBy(ending, outlives(atoms, sums, order_id !== null), nowMs) === null
}

/** Wallets and their owners. */
export interface CrowdedColumns {
  readonly wallet_id: string
  readonly owner: string
}

/**
 * Places at which a batch may bring one set of wallets too many. The sets are found one from the other, so what is read does not
 * grow with the invoices.
 */
export function crowdedPlaces(work: Work, requests: readonly InvoiceRequest[]): Promise<readonly CrowdedColumns[]> {
  const asked = requests.map(({ owner, walletIds }) => ({ owner, set: walletsText([...walletIds].sort()), walletIds }))
  const sets = [...new Map(asked.map((one) => [`${one.walletIds.length},${one.set},${one.owner}`, one])).values()]
  const isHere = sql`p.wallet_id = place.wallet_id AND p.owner = place.owner`
  // Nearly every place has one set or none, and is no matter for a recursion.
  return work.rows<CrowdedColumns>(sql`
    SELECT place.wallet_id, place.owner
    FROM (
      SELECT wallet_id, owner, count(*) AS wanted FROM (
        SELECT ${walletsIn(sql`a.wallet_ids`)} AS wallet_id, a.owner
        FROM unnest(${sets.map(({ set }) => set)}::text[], ${sets.map(({ owner }) => owner)}::text[]) AS a (wallet_ids, owner)
      ) AS asked GROUP BY wallet_id, owner
    ) AS place
    WHERE CASE
      WHEN place.wanted < ${WALLET_SETS_MAX}::bigint
        AND (SELECT p.set_id FROM open_places AS p WHERE ${isHere} ORDER BY p.set_id LIMIT 1)
          IS NOT DISTINCT FROM (SELECT p.set_id FROM open_places AS p WHERE ${isHere} ORDER BY p.set_id DESC LIMIT 1)
      THEN false
      ELSE place.wanted + (
        WITH RECURSIVE sets AS (
          (SELECT p.set_id, 1 AS number FROM open_places AS p WHERE ${isHere} ORDER BY p.set_id LIMIT 1)
          UNION ALL
          SELECT next.set_id, sets.number + 1 FROM sets CROSS JOIN LATERAL (
            SELECT p.set_id FROM open_places AS p WHERE ${isHere} AND p.set_id > sets.set_id ORDER BY p.set_id LIMIT 1
          ) AS next WHERE sets.number < ${WALLET_SETS_MAX}::bigint
        )
        SELECT count(*) FROM sets
      ) > ${WALLET_SETS_MAX}::bigint
    END`)
}
