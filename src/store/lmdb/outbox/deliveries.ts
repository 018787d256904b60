import { createHash } from 'node:crypto'
import type { RetryDecision } from '../../../domain/retry.js'
import { type Delivery, type DeliveryResult, type NewDelivery, originOf } from '../../../domain/webhook.js'
import type { OwedDelivery } from '../../outbox.js'
import { adjust, endAttempt, type Next, type RedeliveryWork, release } from '../../rules/deliveries.js'
import type { Commit } from '../commit/commit.js'
import { logEvent } from '../events/event-log.js'
import { deliveryEvent } from '../events/event-rows.js'
import { internOwner } from '../identities/identities.js'
import {
  type DeliveryId,
  ID_BYTES,
  idAt,
  idOfKey,
  NUMBER_BYTES,
  timeKey,
  timeOfId,
  under,
  WIDE_BYTES,
} from '../tables/keys.js'
import { lastKey, NOTHING } from '../tables/tables.js'
import { findDelivery, getDelivery, putDelivery } from './delivery-rows.js'

/** Bytes of the hash that stands for an origin in the key of a lane. */
const ORIGIN_BYTES = 8
export const LANE_BYTES = NUMBER_BYTES + ORIGIN_BYTES

/** Behind the ids of all deliveries. */
const BEHIND_ALL = Buffer.alloc(ID_BYTES + 1, 0xff)

/** Queues a delivery, in the transaction of the deposit that caused it. */
export function enqueueDelivery(commit: Commit, delivery: NewDelivery): OwedDelivery {
  const id = nextId(commit)
  putDelivery(commit, id, {
    ...delivery,
    state: 'queued',
    createdAt: commit.nowMs,
    attemptedAt: null,
    attempts: 0,
    attemptsBefore: 0,
    nextAttemptAt: null,
    result: null,
  })
  commit.tables.ownerDeliveries.putSync(under(internOwner(commit, delivery.owner), id), NOTHING)
  return enterLane(commit, id, delivery)
}

/** Enters a delivery of another store as it was there. */
export function enterMoved(commit: Commit, delivery: Delivery): void {
  const { id: name, ...row } = delivery
  const id = Buffer.from(name, 'hex') as DeliveryId
  const { attemptedDeliveries, ownerDeliveries, waitingDeliveries } = commit.tables
  putDelivery(commit, id, row)
  ownerDeliveries.putSync(under(internOwner(commit, row.owner), id), NOTHING)
  if (row.state === 'queued') enterLane(commit, id, row)
  if (row.state === 'attempted') attemptedDeliveries.putSync(id, NOTHING)
  if (row.nextAttemptAt !== null) waitingDeliveries.putSync(dueKey(row.nextAttemptAt, id), NOTHING)
}

/** False when it is not queued any more, so that no attempt is made twice. */
export function markAttempted(commit: Commit, id: DeliveryId): boolean {
  const delivery = getDelivery(commit, id)
  if (delivery.state !== 'queued') return false
  putDelivery(commit, id, {
    ...delivery,
    state: 'attempted',
    attemptedAt: commit.nowMs,
    attempts: delivery.attempts + 1,
  })
  commit.tables.queuedDeliveries.removeSync(Buffer.concat([laneOf(commit, delivery), id]))
  commit.tables.attemptedDeliveries.putSync(id, NOTHING)
  return true
}

/** Answers when it is attempted again, null for never. */
export function endAttemptOf(
  commit: Commit,
  id: DeliveryId,
  result: DeliveryResult,
  retry: RetryDecision,
): number | null {
  const before = getDelivery(commit, id)
  const next = endAttempt(before, result, retry)
  commit.tables.attemptedDeliveries.removeSync(id)
  putNext(commit, id, before, next)
  return next.delivery.nextAttemptAt
}

/** Adjusts deliveries among those that wait, by their keys. */
export function adjustWaiting(commit: Commit, keys: readonly Buffer[]): void {
  for (const key of keys) {
    const id = idOfKey<DeliveryId>(key)
    const before = findDelivery(commit, id)
    const delivery = before === undefined ? null : adjust(before, commit.nowMs)
    if (before !== undefined && delivery !== null) putNext(commit, id, before, { delivery, failed: null })
  }
}

/** Releases what is due, and answers what was queued. */
export function releaseDue(commit: Commit, attemptsMax: number, limit: number): readonly OwedDelivery[] {
  const owed: OwedDelivery[] = []
  for (const key of [...commit.tables.waitingDeliveries.getKeys({ limit })]) {
    if (key.readUIntBE(0, WIDE_BYTES) > commit.nowMs) break
    const id = idOfKey<DeliveryId>(key)
    const before = getDelivery(commit, id)
    const next = release(before, attemptsMax)
    putNext(commit, id, before, next)
    if (next.failed === null) owed.push(enterLane(commit, id, before))
  }
  return owed
}

/** What a commit does to queue a delivery once more. */
export function redeliveryIn(commit: Commit): RedeliveryWork {
  return {
    readClock: () => commit.nowMs,
    delivery: (id) => findDelivery(commit, Buffer.from(id, 'hex') as DeliveryId),
    queue: (delivery, before) => {
      const id = Buffer.from(delivery.id, 'hex') as DeliveryId
      putNext(commit, id, before, { delivery, failed: null })
      return enterLane(commit, id, delivery)
    },
  }
}

/** Writes what became of a delivery, and has it wait where it does. */
function putNext(commit: Commit, id: DeliveryId, before: Delivery, { delivery, failed }: Next): void {
  const { waitingDeliveries } = commit.tables
  const { owner, invoiceId, nextAttemptAt } = delivery
  putDelivery(commit, id, delivery)
  if (before.nextAttemptAt !== null) waitingDeliveries.removeSync(dueKey(before.nextAttemptAt, id))
  if (nextAttemptAt !== null) waitingDeliveries.putSync(dueKey(nextAttemptAt, id), NOTHING)
  if (failed !== null) logEvent(commit, internOwner(commit, owner), deliveryEvent(failed, invoiceId))
}

/** Removes settled deliveries among the next `limit` in order of age. Answers how many. */
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

/**
 * An id behind those of all deliveries, of this time if that is possible. A clock that was set back makes ids that sort
 * before older ones: a dispatcher that has read up to one of those would find the `confirmed` of a deposit before its
 * `pending`.
 */
function nextId(commit: Commit): DeliveryId {
  const { caches, tables } = commit
  const newest = caches.newestDelivery ?? lastKey(tables.deliveries, BEHIND_ALL, NOTHING)
  const newestMs = newest === undefined ? 0 : timeOfId(newest)
  let id = commit.newId(Math.max(commit.nowMs, newestMs))
  if (newest !== undefined && Buffer.compare(newest, id) >= 0) id = commit.newId(newestMs + 1)
  caches.newestDelivery = id as DeliveryId
  return caches.newestDelivery
}

function enterLane(commit: Commit, id: DeliveryId, delivery: Pick<Delivery, 'owner' | 'url'>): OwedDelivery {
  const lane = laneOf(commit, delivery)
  commit.tables.queuedDeliveries.putSync(Buffer.concat([lane, id]), NOTHING)
  return { id: id.toString('hex'), lane: lane.toString('hex'), owner: delivery.owner }
}

/** The key of a lane: the owner, and the scheme, host and port of its receiver. */
function laneOf(commit: Commit, { owner, url }: Pick<Delivery, 'owner' | 'url'>): Buffer {
  const { origins } = commit.caches
  const ownerNo = internOwner(commit, owner)
  const known = origins.get(url)
  if (known !== undefined) return under(ownerNo, known)
  const origin = originBytes(url)
  origins.set(url, origin)
  return under(ownerNo, origin)
}

/** Stands for the scheme, host and port of a URL. Those that are none have a lane of their own. */
export function originBytes(url: string): Buffer {
  return createHash('sha256')
    .update(originOf(url) ?? '')
    .digest()
    .subarray(0, ORIGIN_BYTES)
}

/** Due deliveries sort by the time they are due at. */
export function dueKey(dueAt: number, id: DeliveryId): Buffer {
  return Buffer.concat([timeKey(dueAt), id])
}
