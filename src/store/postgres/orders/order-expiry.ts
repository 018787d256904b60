import { answeredLater } from '../../rules/asking.js'
import { decideOrderExpiry, holdOrder } from '../../rules/order-life.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { orderWorkOn } from './order-work.js'

/** Expiries of orders that one unit decides. Each has its own statements. */
const EXPIRED_AT_ONCE = 20

/** The ids of orders whose expiry is due and not decided. */
export function selectOrdersDue(now: Fragment, limit: number): Fragment {
  return sql`SELECT o.id FROM orders AS o WHERE NOT o.is_expiry_decided AND o.expires_at <= ${now}
    ORDER BY o.expires_at, o.id LIMIT ${limit}::bigint`
}

/** Decides the expiries of orders that are due. */
export async function expireOrdersDue(work: Work): Promise<void> {
  const due = await work.rows<{ id: string }>(selectOrdersDue(sql`${work.nowMs}::bigint`, EXPIRED_AT_ONCE))
  const ids = due.map(({ id }) => id)
  if (ids.length === 0) return
  work.lock(sql`SELECT o.id FROM orders AS o WHERE o.id = ANY(${ids}::uuid[]) ORDER BY o.id FOR UPDATE`)
  const orders = orderWorkOn(work)
  for (const id of ids) {
    await answeredLater(
      (function* () {
        return yield* decideOrderExpiry(orders, yield* holdOrder(orders, id))
      })(),
    )
  }
}
