import type { DepositStatus } from '../../domain/deposit.js'
import { type Outcome, succeed } from '../../domain/failure.js'
import { judgeRedelivery } from '../../domain/redelivery.js'
import { isUsedUp, type RetryDecision } from '../../domain/retry.js'
import type { Delivery, DeliveryResult } from '../../domain/webhook.js'
import type { LaneKey, LaneOfOwner, OldestQueued, OutboxDepth, OwedDelivery, Redelivery } from '../outbox.js'
import type { Page, PageOf } from '../pages.js'
import { endOf, ID_BYTES, numberKey, under, WIDE_BYTES } from './bytes.js'
import { deliveryCodec } from './delivery-codec.js'
import { dueKey, idBehind, LANE_BYTES, LaneKeys } from './delivery-keys.js'
import type { Identities } from './identities.js'
import { pageKeys } from './pages.js'
import { SettledDeliveries } from './settled-deliveries.js'
import { firstKey, lastKey, NOTHING, rowCount, type Tables } from './tables.js'

/** Deliveries that are owed, under way or done. */
export class Outbox {
  private readonly laneKeys: LaneKeys
  private readonly settled: SettledDeliveries
  /** The greatest id of a delivery; undefined until one is made. */
  private newest: Buffer | undefined

  constructor(
    private readonly tables: Tables,
    private readonly identities: Identities,
  ) {
    this.laneKeys = new LaneKeys(identities)
    this.settled = new SettledDeliveries(tables, identities)
  }

  /** Enters a delivery, in the transaction of the deposit that caused it. */
  enqueue(
    newId: (nowMs: number) => Buffer,
    delivery: {
      readonly owner: string
      readonly invoiceId: string
      readonly status: DepositStatus
      readonly url: string
      readonly body: string
    },
    nowMs: number,
  ): OwedDelivery {
    const lane = this.laneKeys.of(delivery)
    const id = this.idBehindAll(newId, nowMs)
    this.put(id, {
      ...delivery,
      state: 'queued',
      createdAt: nowMs,
      attemptedAt: null,
      attempts: 0,
      attemptsBefore: 0,
      nextAttemptAt: null,
      result: null,
    })
    this.tables.ownerDeliveries.putSync(under(this.identities.numberForRow(delivery.owner), id), NOTHING)
    return this.enterLane(id, delivery.owner, lane)
  }

  find(id: Buffer): Delivery | undefined {
    const bytes = this.tables.deliveries.get(id)
    return bytes === undefined ? undefined : { id: id.toString('hex'), ...deliveryCodec.decode(bytes) }
  }

  /** The deliveries of an owner, newest first. */
  pageOf(owner: string, page: Page): PageOf<Delivery> {
    const ownerNo = this.identities.numberOf(owner)
    if (ownerNo === undefined) return { items: [], next: null }
    const prefix = numberKey(ownerNo)
    return pageKeys(this.tables.ownerDeliveries, prefix, ID_BYTES, page, (key) =>
      this.get(Buffer.from(key.subarray(prefix.length))),
    )
  }

  lanes(): readonly LaneOfOwner[] {
    const lanes: LaneOfOwner[] = []
    const end = Buffer.alloc(LANE_BYTES + ID_BYTES + 1, 0xff)
    let start: Buffer = Buffer.alloc(0)
    for (;;) {
      const key = firstKey(this.tables.queuedDeliveries, start, end)
      if (key === undefined) return lanes
      const lane = Buffer.from(key.subarray(0, LANE_BYTES))
      const { owner } = this.get(Buffer.from(key.subarray(LANE_BYTES)))
      lanes.push({ lane: lane.toString('hex'), owner })
      start = endOf(lane, LANE_BYTES + ID_BYTES + 1)
    }
  }

  depth(): OutboxDepth {
    const { queuedDeliveries, attemptedDeliveries, waitingDeliveries } = this.tables
    return {
      queued: rowCount(queuedDeliveries),
      attempted: rowCount(attemptedDeliveries),
      waiting: rowCount(waitingDeliveries),
    }
  }

  /** Of each lane the first delivery is the oldest, and its id begins with the time it was made at. */
  oldest(after: LaneKey | null, lanes: number): OldestQueued {
    const end = Buffer.alloc(LANE_BYTES + ID_BYTES + 1, 0xff)
    let lane = after === null ? null : Buffer.from(after, 'hex')
    let createdAt: number | null = null
    for (let seen = 0; seen < lanes; seen += 1) {
      const start = lane === null ? Buffer.alloc(0) : endOf(lane, LANE_BYTES + ID_BYTES + 1)
      const key = firstKey(this.tables.queuedDeliveries, start, end)
      if (key === undefined) return { createdAt, next: null }
      lane = Buffer.from(key.subarray(0, LANE_BYTES))
      const madeAt = key.readUIntBE(LANE_BYTES, WIDE_BYTES)
      createdAt = createdAt === null ? madeAt : Math.min(createdAt, madeAt)
    }
    return { createdAt, next: lane?.toString('hex') ?? null }
  }

  queued(lane: LaneKey, after: string | null, limit: number): readonly Delivery[] {
    const prefix = Buffer.from(lane, 'hex')
    const start = after === null ? prefix : Buffer.concat([prefix, Buffer.from(after, 'hex'), Buffer.of(0)])
    const found: Delivery[] = []
    for (const key of this.tables.queuedDeliveries.getKeys({
      start,
      end: endOf(prefix, LANE_BYTES + ID_BYTES + 1),
      limit,
    })) {
      found.push(this.get(Buffer.from(key.subarray(LANE_BYTES))))
    }
    return found
  }

  /** False when it is not queued any more, so that nothing is attempted twice. */
  markAttempted(id: Buffer, nowMs: number): boolean {
    const delivery = this.get(id)
    if (delivery.state !== 'queued') return false
    this.put(id, { ...delivery, state: 'attempted', attemptedAt: nowMs, attempts: delivery.attempts + 1 })
    this.tables.queuedDeliveries.removeSync(Buffer.concat([this.laneKeys.of(delivery), id]))
    this.tables.attemptedDeliveries.putSync(id, NOTHING)
    return true
  }

  /**
   * Of a delivery that is under way: a result of another would send it again, or replace what is known. Answers when it is
   * attempted again, null for never.
   */
  endAttempt(id: Buffer, result: DeliveryResult, retry: RetryDecision): number | null {
    const delivery = this.get(id)
    if (delivery.state !== 'attempted') throw new Error('a delivery that is not under way has no result')
    const nextAttemptAt = retry(delivery, result)
    this.put(id, { ...delivery, state: nextAttemptAt === null ? 'settled' : 'waiting', nextAttemptAt, result })
    this.tables.attemptedDeliveries.removeSync(id)
    if (nextAttemptAt !== null) this.tables.waitingDeliveries.putSync(dueKey(nextAttemptAt, id), NOTHING)
    return nextAttemptAt
  }

  /** When the first of the waiting deliveries is due, or null. */
  firstDueAt(): number | null {
    for (const key of this.tables.waitingDeliveries.getKeys({ limit: 1 })) return key.readUIntBE(0, WIDE_BYTES)
    return null
  }

  /** Queues what is due, or settles it where it has had its attempts: the operator has lowered their number. */
  release(nowMs: number, attemptsMax: number, limit: number): readonly OwedDelivery[] {
    const owed: OwedDelivery[] = []
    const due = [...this.tables.waitingDeliveries.getKeys({ limit })]
    for (const key of due) {
      if (key.readUIntBE(0, WIDE_BYTES) > nowMs) break
      const id = Buffer.from(key.subarray(WIDE_BYTES))
      const delivery = this.get(id)
      if (isUsedUp(delivery, attemptsMax)) {
        this.stopWaiting(id, delivery)
        this.put(id, { ...delivery, state: 'settled', nextAttemptAt: null })
      } else {
        owed.push(this.queueAgain(id, delivery, delivery.attemptsBefore))
      }
    }
    return owed
  }

  /** Queues a delivery whose attempts are over, or that waits for another; its attempts count anew. */
  redeliver(owner: string, id: Buffer, nowMs: number): Outcome<Redelivery> {
    const judged = judgeRedelivery(this.find(id), owner, nowMs)
    if (!judged.ok) return judged
    const owed = this.queueAgain(id, judged.value, judged.value.attempts)
    return succeed({ delivery: this.get(id), owed })
  }

  /** Removes those of the next `limit` deliveries, oldest first, that were settled before `timeMs`; answers how many. */
  removeSettledBefore(timeMs: number, limit: number): number {
    return this.settled.removeBefore(timeMs, limit)
  }

  /** Ids of at most `limit` deliveries that were attempted and have no outcome. */
  unsettled(limit: number): readonly Buffer[] {
    return [...this.tables.attemptedDeliveries.getKeys({ limit })]
  }

  /**
   * An id behind those of all deliveries there are. A clock that was set back makes ids that sort before older ones: a
   * dispatcher that has read up to one of those would find the `confirmed` of a deposit before its `pending`.
   */
  private idBehindAll(newId: (nowMs: number) => Buffer, nowMs: number): Buffer {
    const newest = this.newest ?? lastKey(this.tables.deliveries, Buffer.alloc(ID_BYTES + 1, 0xff), Buffer.alloc(0))
    this.newest = newest === undefined ? newId(nowMs) : idBehind(newest, newId, nowMs)
    return this.newest
  }

  private queueAgain(id: Buffer, delivery: Delivery, attemptsBefore: number): OwedDelivery {
    this.stopWaiting(id, delivery)
    this.put(id, { ...delivery, state: 'queued', attemptsBefore, nextAttemptAt: null })
    return this.enterLane(id, delivery.owner, this.laneKeys.of(delivery))
  }

  private stopWaiting(id: Buffer, { nextAttemptAt }: Delivery): void {
    if (nextAttemptAt !== null) this.tables.waitingDeliveries.removeSync(dueKey(nextAttemptAt, id))
  }

  private enterLane(id: Buffer, owner: string, lane: Buffer): OwedDelivery {
    this.tables.queuedDeliveries.putSync(Buffer.concat([lane, id]), NOTHING)
    return { id: id.toString('hex'), lane: lane.toString('hex'), owner }
  }

  private get(id: Buffer): Delivery {
    const delivery = this.find(id)
    if (delivery === undefined) throw new Error('an index names a delivery that is not there')
    return delivery
  }

  private put(id: Buffer, row: Omit<Delivery, 'id'>): void {
    this.tables.deliveries.putSync(id, deliveryCodec.encode(row))
  }
}
