import { createHash } from 'node:crypto'
import { failureShown } from '../../../domain/event.js'
import { type Outcome, succeed } from '../../../domain/failure.js'
import { afterSetBack, isUsedUp, judgeRedelivery, type RetryDecision } from '../../../domain/retry.js'
import { type Delivery, type DeliveryResult, isDelivered, originOf } from '../../../domain/webhook.js'
import type { OwedDelivery, Redelivery } from '../../outbox.js'
import type { Commit } from '../commit/commit-loop.js'
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

/*
 * The life of a delivery:
 *
 *     queued ──► attempted ──► settled
 *       ▲            │            │
 *       ├─ waiting ◄─┘            │
 *       └── redelivered ◄─────────┘
 */

/** Bytes of the hash that stands for an origin in the key of a lane. */
const ORIGIN_BYTES = 8
export const LANE_BYTES = NUMBER_BYTES + ORIGIN_BYTES

/** Behind the ids of all deliveries. */
const BEHIND_ALL = Buffer.alloc(ID_BYTES + 1, 0xff)

/** A delivery that a deposit causes. */
type NewDelivery = Pick<Delivery, 'owner' | 'invoiceId' | 'status' | 'url' | 'body'>

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

/**
 * Ends the attempt in progress. A result for another delivery would send that one again, or replace its result.
 * Answers when it is attempted again, null for never.
 */
export function endAttempt(
  commit: Commit,
  id: DeliveryId,
  result: DeliveryResult,
  retry: RetryDecision,
): number | null {
  const { attemptedDeliveries, waitingDeliveries } = commit.tables
  const delivery = getDelivery(commit, id)
  if (delivery.state !== 'attempted') throw new Error('a delivery that is not being attempted has no result')
  const nextAttemptAt = retry(delivery, result)
  const state = nextAttemptAt === null ? 'settled' : 'waiting'
  putDelivery(commit, id, { ...delivery, state, nextAttemptAt, result })
  attemptedDeliveries.removeSync(id)
  if (nextAttemptAt !== null) waitingDeliveries.putSync(dueKey(nextAttemptAt, id), NOTHING)
  else if (!isDelivered(result)) logFailure(commit, { ...delivery, result })
  return nextAttemptAt
}

/** Lets deliveries among those that wait, by their keys, wait no longer than they were to wait. */
export function adjustWaiting(commit: Commit, keys: readonly Buffer[]): void {
  for (const key of keys) {
    const id = idOfKey<DeliveryId>(key)
    const delivery = findDelivery(commit, id)
    const adjusted = delivery?.state === 'waiting' ? afterSetBack(delivery, commit.nowMs) : null
    if (delivery === undefined || adjusted === null) continue
    stopWaiting(commit, id, delivery)
    putDelivery(commit, id, { ...delivery, ...adjusted })
    commit.tables.waitingDeliveries.putSync(dueKey(adjusted.nextAttemptAt, id), NOTHING)
  }
}

/** Queues what is due, or settles it where it has had its attempts: the operator has lowered their number. */
export function releaseDue(commit: Commit, attemptsMax: number, limit: number): readonly OwedDelivery[] {
  const owed: OwedDelivery[] = []
  for (const key of [...commit.tables.waitingDeliveries.getKeys({ limit })]) {
    if (key.readUIntBE(0, WIDE_BYTES) > commit.nowMs) break
    const id = idOfKey<DeliveryId>(key)
    const delivery = getDelivery(commit, id)
    if (isUsedUp(delivery, attemptsMax)) {
      stopWaiting(commit, id, delivery)
      putDelivery(commit, id, { ...delivery, state: 'settled', nextAttemptAt: null })
      logFailure(commit, delivery)
    } else {
      owed.push(queueAgain(commit, id, delivery, delivery.attemptsBefore))
    }
  }
  return owed
}

/** Queues a delivery whose attempts are over, or that waits for another; its attempts are counted from 0 again. */
export function redeliver(commit: Commit, owner: string, id: DeliveryId): Outcome<Redelivery> {
  const judged = judgeRedelivery(findDelivery(commit, id), owner, commit.nowMs)
  if (!judged.ok) return judged
  const owed = queueAgain(commit, id, judged.value, judged.value.attempts)
  return succeed({ delivery: getDelivery(commit, id), owed })
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

function queueAgain(commit: Commit, id: DeliveryId, delivery: Delivery, attemptsBefore: number): OwedDelivery {
  stopWaiting(commit, id, delivery)
  putDelivery(commit, id, { ...delivery, state: 'queued', attemptsBefore, nextAttemptAt: null })
  return enterLane(commit, id, delivery)
}

/** Tells the owner that a delivery is not attempted again. */
function logFailure(commit: Commit, { id, owner, status, attempts, result, invoiceId }: Delivery): void {
  const failed = { id, status, attempt: attempts, ...failureShown(result) }
  logEvent(commit, internOwner(commit, owner), deliveryEvent(failed, invoiceId))
}

function stopWaiting({ tables }: Commit, id: DeliveryId, { nextAttemptAt }: Delivery): void {
  if (nextAttemptAt !== null) tables.waitingDeliveries.removeSync(dueKey(nextAttemptAt, id))
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
