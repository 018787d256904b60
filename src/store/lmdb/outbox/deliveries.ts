import type { DepositStatus } from '../../../domain/deposit.js'
import { type Outcome, succeed } from '../../../domain/failure.js'
import { isUsedUp, judgeRedelivery, type RetryDecision } from '../../../domain/retry.js'
import type { Delivery, DeliveryResult } from '../../../domain/webhook.js'
import type { OwedDelivery, Redelivery } from '../../outbox.js'
import type { Commit, Reader } from '../commit/commit-loop.js'
import { internOwner } from '../identities/identities.js'
import { ID_BYTES, under, WIDE_BYTES } from '../tables/bytes.js'
import { type DeliveryId, idOfKey } from '../tables/names.js'
import { lastKey, NOTHING } from '../tables/tables.js'
import { deliveryCodec } from './delivery-codec.js'
import { dueKey, idBehind, laneOf } from './delivery-keys.js'

/*
 * The life of a delivery:
 *
 *     queued ──► attempted ──► settled
 *       ▲            │            │
 *       ├─ waiting ◄─┘            │
 *       └── redelivered ◄─────────┘
 */

/** A delivery that a deposit causes. */
export interface NewDelivery {
  readonly owner: string
  readonly invoiceId: string
  readonly status: DepositStatus
  readonly url: string
  readonly body: string
}

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

export function findDelivery(at: Reader, id: DeliveryId): Delivery | undefined {
  const bytes = at.tables.deliveries.get(id)
  return bytes === undefined ? undefined : { id: id.toString('hex'), ...deliveryCodec.decode(bytes) }
}

/** A delivery that an index names. */
export function getDelivery(at: Reader, id: DeliveryId): Delivery {
  const delivery = findDelivery(at, id)
  if (delivery === undefined) throw new Error('an index names a delivery that is not there')
  return delivery
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
 * Ends the attempt that is under way. The result of another delivery would send that one again, or replace what is known.
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
  if (delivery.state !== 'attempted') throw new Error('a delivery that is not under way has no result')
  const nextAttemptAt = retry(delivery, result)
  const state = nextAttemptAt === null ? 'settled' : 'waiting'
  putDelivery(commit, id, { ...delivery, state, nextAttemptAt, result })
  attemptedDeliveries.removeSync(id)
  if (nextAttemptAt !== null) waitingDeliveries.putSync(dueKey(nextAttemptAt, id), NOTHING)
  return nextAttemptAt
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
    } else {
      owed.push(queueAgain(commit, id, delivery, delivery.attemptsBefore))
    }
  }
  return owed
}

/** Queues a delivery whose attempts are over, or that waits for another; its attempts count anew. */
export function redeliver(commit: Commit, owner: string, id: DeliveryId): Outcome<Redelivery> {
  const judged = judgeRedelivery(findDelivery(commit, id), owner, commit.nowMs)
  if (!judged.ok) return judged
  const owed = queueAgain(commit, id, judged.value, judged.value.attempts)
  return succeed({ delivery: getDelivery(commit, id), owed })
}

/**
 * An id behind those of all deliveries. A clock that was set back makes ids that sort before older ones: a dispatcher that
 * has read up to one of those would find the `confirmed` of a deposit before its `pending`.
 */
function nextId(commit: Commit): DeliveryId {
  const { caches, tables } = commit
  const newest =
    caches.newestDelivery ??
    (lastKey(tables.deliveries, Buffer.alloc(ID_BYTES + 1, 0xff), NOTHING) as DeliveryId | undefined)
  caches.newestDelivery = newest === undefined ? (commit.newId() as DeliveryId) : idBehind(newest, commit)
  return caches.newestDelivery
}

function queueAgain(commit: Commit, id: DeliveryId, delivery: Delivery, attemptsBefore: number): OwedDelivery {
  stopWaiting(commit, id, delivery)
  putDelivery(commit, id, { ...delivery, state: 'queued', attemptsBefore, nextAttemptAt: null })
  return enterLane(commit, id, delivery)
}

function stopWaiting({ tables }: Commit, id: DeliveryId, { nextAttemptAt }: Delivery): void {
  if (nextAttemptAt !== null) tables.waitingDeliveries.removeSync(dueKey(nextAttemptAt, id))
}

function enterLane(commit: Commit, id: DeliveryId, delivery: Pick<Delivery, 'owner' | 'url'>): OwedDelivery {
  const lane = laneOf(commit, delivery)
  commit.tables.queuedDeliveries.putSync(Buffer.concat([lane, id]), NOTHING)
  return { id: id.toString('hex'), lane: lane.toString('hex'), owner: delivery.owner }
}

function putDelivery({ tables }: Commit, id: DeliveryId, row: Omit<Delivery, 'id'>): void {
  tables.deliveries.putSync(id, deliveryCodec.encode(row))
}
