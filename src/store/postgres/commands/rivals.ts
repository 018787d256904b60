import { type InvoiceRequest, WALLET_SETS_MAX } from '../../../domain/invoice.js'
import { isPaid, type Received } from '../../../domain/payment.js'
import { type Ending, outlives, voidedAtBy } from '../../../domain/voiding.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { RECEIVED } from '../payments/sums.js'
import { placeName } from './names.js'

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
  const places = requests.flatMap(({ walletIds, owner, currency, amount }) =>
    walletIds.map((walletId) => ({ walletId, owner, currency, amount })),
  )
  const isRival = areWalletsShared ? sql`AND p.atoms = asked.atoms` : sql``
  return work.rows<RivalColumns>(sql`
    SELECT p.wallet_id, p.owner, p.currency, p.atoms, ${RIVAL}
    FROM unnest(
      ${places.map(({ walletId }) => walletId)}::text[], ${places.map(({ owner }) => owner)}::text[],
      ${places.map(({ currency }) => currency)}::text[], ${places.map(({ amount }) => amount)}::numeric[]
    ) AS asked (wallet_id, owner, currency, atoms)
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
  const places = new Map<string, { readonly id: string; readonly owner: string; readonly sets: Set<string> }>()
  for (const { owner, walletIds } of requests) {
    const set = [...walletIds].sort().join()
    for (const id of walletIds) {
      const place = places.get(placeName(id, owner)) ?? { id, owner, sets: new Set() }
      places.set(placeName(id, owner), place)
      place.sets.add(set)
    }
  }
  const all = [...places.values()]
  const isHere = sql`p.wallet_id = place.wallet_id AND p.owner = place.owner`
  // Nearly every place has one set or none, and is no matter for a recursion.
  return work.rows<CrowdedColumns>(sql`
    SELECT place.wallet_id, place.owner
    FROM unnest(
      ${all.map(({ id }) => id)}::text[], ${all.map(({ owner }) => owner)}::text[], ${all.map(({ sets }) => sets.size)}::bigint[]
    ) AS place (wallet_id, owner, wanted)
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
