import type { Currency } from '../../../domain/amount.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/*
 * The orders that lean on money which is matched to no invoice, on each wallet of each of their invoices. Who lists one has locked these
 * wallets, and so has who looks: what leaves a wallet while an order is judged is counted, or finds the order.
 */

/** Selects the rows of `leaning_orders` for orders that lean; `condition` is one on `orders AS o`. */
export function leaningRows(condition: Fragment): Fragment {
  return sql`
    SELECT payee.wallet_id, i.currency, i.order_id FROM orders AS o JOIN invoices AS i ON i.order_id = o.id
    CROSS JOIN LATERAL unnest(i.wallet_ids) AS payee (wallet_id) WHERE ${condition}`
}

/** Lists orders that lean. Their rows and invoices are written. */
export function listLeaning(work: Work, ids: readonly string[]): void {
  work.write(sql`
    INSERT INTO leaning_orders (wallet_id, currency, order_id) ${leaningRows(sql`o.id = ANY(${ids}::uuid[])`)}
    ON CONFLICT DO NOTHING`)
}

/** Takes out an order that leans no more. */
export function unlistLeaning(work: Work, id: string): void {
  work.write(sql`
    DELETE FROM leaning_orders AS l USING invoices AS i
    WHERE i.order_id = ${id}::uuid AND l.wallet_id = ANY(i.wallet_ids) AND l.currency = i.currency AND l.order_id = i.order_id`)
}

/** The ids of those on a wallet in a currency, in their order, locked. */
export async function lockLeaningOn(work: Work, walletId: string, currency: Currency): Promise<readonly string[]> {
  const listed = sql`SELECT l.order_id FROM leaning_orders AS l WHERE l.wallet_id = ${walletId} AND l.currency = ${currency}`
  const rows = await work.rows<{ readonly id: string }>(
    sql`SELECT o.id FROM orders AS o WHERE o.id IN (${listed}) ORDER BY o.id FOR UPDATE OF o`,
  )
  return rows.map(({ id }) => id)
}
