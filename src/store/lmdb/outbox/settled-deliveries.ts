import type { Delivery } from '../../../domain/webhook.js'
import type { Commit } from '../commit/commit-loop.js'
import { internOwner } from '../identities/identities.js'
import { idAt, under } from '../tables/bytes.js'
import { type DeliveryId, idOfKey } from '../tables/names.js'
import { NOTHING } from '../tables/tables.js'
import { findDelivery } from './deliveries.js'

/*
 * Removes deliveries that were settled long ago. A settled delivery is in no index but its owner's list.
 */

/** Examines the next `limit` deliveries in order of age, and answers how many of them it removed. */
export function removeSettledBefore(commit: Commit, timeMs: number, limit: number): number {
  const { removedTo } = commit.caches
  // Ids begin with the time that they were made at.
  const start = removedTo === null ? NOTHING : Buffer.concat([removedTo, Buffer.of(0)])
  const end = idAt(timeMs)
  const isOver = Buffer.compare(start, end) >= 0
  const ids = isOver ? [] : [...commit.tables.deliveries.getKeys({ start, end, limit })].map(idOfKey<DeliveryId>)
  commit.caches.removedTo = ids.length < limit ? null : (ids.at(-1) ?? null)
  return ids.filter((id) => removeIfSettled(commit, id, timeMs)).length
}

function removeIfSettled(commit: Commit, id: DeliveryId, timeMs: number): boolean {
  const delivery = findDelivery(commit, id)
  if (delivery === undefined || !wasSettledBefore(delivery, timeMs)) return false
  commit.tables.ownerDeliveries.removeSync(under(internOwner(commit, delivery.owner), id))
  commit.tables.deliveries.removeSync(id)
  return true
}

/** A redelivery may have settled it long after it was made. */
function wasSettledBefore(delivery: Delivery, timeMs: number): boolean {
  return delivery.state === 'settled' && (delivery.attemptedAt ?? delivery.createdAt) < timeMs
}
