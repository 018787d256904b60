import type { Commit } from '../commit/commit.js'
import { listLeaning } from '../orders/leaning-orders.js'
import { orderRow, putOrderRow } from '../orders/order-rows.js'
import { orderWorkOn } from '../orders/order-work.js'
import { idOfKey, type OrderId } from '../tables/keys.js'
import type { Migration } from './migration.js'

/**
 * Version 18 lists the orders that lean on money which is matched to no invoice. An order is taken to lean where such money counts now. Of
 * one that is wrong by now because such money had left, nobody is told: the check names it, and the next deposit for it judges.
 */
export const MIGRATE_17: Migration = {
  from: 17,
  // A pass must not write to its own table.
  passes: [{ name: 'leaning orders', table: 'ownerOrders', row: noteLeaning }],
}

function noteLeaning(commit: Commit, key: Buffer): void {
  const order = orderRow(commit, idOfKey<OrderId>(key).toString('hex'))
  const work = orderWorkOn(commit)
  const rows = work.options(order)
  if (!rows.some((row) => work.portionOf(row).unmatched > 0n)) return
  const leaning = { ...order, isLeaning: true }
  putOrderRow(commit, leaning)
  listLeaning(commit, leaning, rows)
}
