import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/** Which other ones among some wallets each shares an open invoice with. The wallets are locked. */
export async function neighboursOf(
  work: Work,
  walletIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ours = [...new Set(walletIds)]
  if (ours.length < 2) return new Map()
  const rows = await work.rows<{ readonly wallet_ids: readonly string[] }>(sql`
    WITH RECURSIVE sets AS (
      SELECT ours.id AS wallet_id, first.owner, first.set_id FROM unnest(${ours}::text[]) AS ours (id) CROSS JOIN LATERAL (
        SELECT p.owner, p.set_id FROM open_places AS p WHERE p.wallet_id = ours.id ORDER BY p.owner, p.set_id LIMIT 1
      ) AS first
      UNION ALL
      SELECT sets.wallet_id, next.owner, next.set_id FROM sets CROSS JOIN LATERAL (
        SELECT p.owner, p.set_id FROM open_places AS p
        WHERE p.wallet_id = sets.wallet_id AND (p.owner, p.set_id) > (sets.owner, sets.set_id)
        ORDER BY p.owner, p.set_id LIMIT 1
      ) AS next
    )
    SELECT array_agg(wallet_id) AS wallet_ids FROM sets GROUP BY owner, set_id HAVING count(*) > 1`)
  const neighbours = new Map<string, string[]>()
  for (const { wallet_ids: shared } of rows) {
    for (const id of shared)
      neighbours.set(id, [...(neighbours.get(id) ?? []), ...shared.filter((other) => other !== id)])
  }
  return neighbours
}
