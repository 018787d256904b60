import type { Slice } from '../../../base/turns.js'
import { answeredNow } from '../../rules/asking.js'
import { expireOrder } from '../../rules/order-end.js'
import type { Commit, Snapshot } from '../commit/commit.js'
import { LOOKUPS_EACH, LOOKUPS_PER_WALLET } from '../invoices/invoice-index.js'
import { findSet } from '../invoices/wallet-sets.js'
import { ID_BYTES, idOfKey, type OrderId, timeKey, WIDE_BYTES } from '../tables/keys.js'
import { firstKey, NOTHING } from '../tables/tables.js'
import { orderWorkOn } from './order-work.js'

/** Whether an order is due to expire. */
export function isOrderExpiryNext({ tables, nowMs }: Snapshot): boolean {
  return firstKey(tables.orderExpiries, NOTHING, timeKey(nowMs + 1)) !== undefined
}

/** Decides the expiries of orders that are due, as many as the slice allows. False when there may be more. */
export function expireOrdersDue(commit: Commit, slice: Slice): boolean {
  const { tables, nowMs } = commit
  while (!slice.isOver) {
    const key = firstKey(tables.orderExpiries, NOTHING, timeKey(nowMs + 1))
    if (key === undefined) return true
    if (key.length !== WIDE_BYTES + ID_BYTES) throw new Error('the expiry of an order is malformed')
    const id = idOfKey<OrderId>(key)
    const { rows } = answeredNow(expireOrder(orderWorkOn(commit), id.toString('hex')))
    for (const { setNo } of rows) {
      slice.touch(LOOKUPS_EACH + LOOKUPS_PER_WALLET * findSet(commit, setNo).walletIds.length)
    }
  }
  return false
}
