import { createHash } from 'node:crypto'
import type { DepositStatus } from '../../domain/deposit.js'
import type { Delivery, DeliveryResult } from '../../domain/webhook.js'
import type { LaneKey, OwedDelivery } from '../store.js'
import { endOf, ID_BYTES, NUMBER_BYTES, under } from './bytes.js'
import type { Identities } from './identities.js'
import { recordCodec } from './record-codec.js'
import { firstKey, NOTHING, type Tables } from './tables.js'

const STATES = ['queued', 'attempted', 'settled'] as const
const STATUSES = ['pending', 'confirmed'] as const
const FAILURES = ['timeout', 'dns', 'connection', 'refused_address', 'interrupted'] as const

const codec = recordCodec<Omit<Delivery, 'id'>>(
  'deliveries',
  1,
  (row) => [
    row.owner,
    row.invoiceId,
    row.status,
    row.url,
    row.body,
    row.state,
    row.createdAt,
    row.attemptedAt,
    row.attempts,
    row.result?.kind === 'answered' ? row.result.httpStatus : null,
    row.result?.kind === 'failed' ? row.result.reason : null,
    row.result?.kind === 'failed' ? row.result.detail : null,
    row.result?.durationMs ?? null,
  ],
  (fields) => ({
    owner: fields.text(),
    invoiceId: fields.text(),
    status: fields.oneOf(STATUSES),
    url: fields.text(),
    body: fields.text(),
    state: fields.oneOf(STATES),
    createdAt: fields.integer(),
    attemptedAt: fields.integerOrNull(),
    attempts: fields.integer(),
    result: readResult(
      fields.integerOrNull(),
      fields.oneOfOrNull(FAILURES),
      fields.textOrNull(),
      fields.integerOrNull(),
    ),
  }),
)

function readResult(
  httpStatus: number | null,
  reason: (typeof FAILURES)[number] | null,
  detail: string | null,
  durationMs: number | null,
): DeliveryResult | null {
  if (durationMs === null) return null
  if (httpStatus !== null) return { kind: 'answered', httpStatus, durationMs }
  return reason === null ? null : { kind: 'failed', reason, detail: detail ?? '', durationMs }
}

/** Bytes of the hash that stands for an origin in a lane key. */
const ORIGIN_BYTES = 8
const LANE_BYTES = NUMBER_BYTES + ORIGIN_BYTES

/** Deliveries that are owed, under way or done. */
export class Outbox {
  constructor(
    private readonly tables: Tables,
    private readonly identities: Identities,
  ) {}

  /** Enters a delivery, in the transaction of the deposit that caused it. */
  enqueue(
    id: Buffer,
    delivery: {
      readonly owner: string
      readonly invoiceId: string
      readonly status: DepositStatus
      readonly url: string
      readonly body: string
    },
    nowMs: number,
  ): OwedDelivery {
    const ownerNo = this.identities.intern(delivery.owner)
    this.put(id, { ...delivery, state: 'queued', createdAt: nowMs, attemptedAt: null, attempts: 0, result: null })
    const lane = laneBytes(ownerNo, delivery.url)
    this.tables.queuedDeliveries.putSync(Buffer.concat([lane, id]), NOTHING)
    this.tables.ownerDeliveries.putSync(under(ownerNo, id), NOTHING)
    return { id: id.toString('hex'), lane: lane.toString('hex') }
  }

  find(id: Buffer): Delivery | undefined {
    const bytes = this.tables.deliveries.get(id)
    return bytes === undefined ? undefined : { id: id.toString('hex'), ...codec.decode(bytes) }
  }

  lanes(): readonly LaneKey[] {
    const lanes: LaneKey[] = []
    const end = Buffer.alloc(LANE_BYTES + ID_BYTES + 1, 0xff)
    let start: Buffer = Buffer.alloc(0)
    for (;;) {
      const key = firstKey(this.tables.queuedDeliveries, start, end)
      if (key === undefined) return lanes
      const lane = Buffer.from(key.subarray(0, LANE_BYTES))
      lanes.push(lane.toString('hex'))
      start = endOf(lane, LANE_BYTES + ID_BYTES + 1)
    }
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
    const lane = laneBytes(this.identities.intern(delivery.owner), delivery.url)
    this.tables.queuedDeliveries.removeSync(Buffer.concat([lane, id]))
    this.tables.attemptedDeliveries.putSync(id, NOTHING)
    return true
  }

  /** Of a delivery that is under way: a result of another would send it again, or replace what is known. */
  settle(id: Buffer, result: DeliveryResult): void {
    const delivery = this.get(id)
    if (delivery.state !== 'attempted') throw new Error('a delivery that is not under way has no result')
    this.put(id, { ...delivery, state: 'settled', result })
    this.tables.attemptedDeliveries.removeSync(id)
  }

  /** Ids of at most `limit` deliveries that were attempted and have no outcome. */
  unsettled(limit: number): readonly Buffer[] {
    return [...this.tables.attemptedDeliveries.getKeys({ limit })]
  }

  private get(id: Buffer): Delivery {
    const delivery = this.find(id)
    if (delivery === undefined) throw new Error('an index names a delivery that is not there')
    return delivery
  }

  private put(id: Buffer, row: Omit<Delivery, 'id'>): void {
    this.tables.deliveries.putSync(id, codec.encode(row))
  }
}

/** A lane is an owner's receiver: its scheme, host and port. */
function laneBytes(ownerNo: number, url: string): Buffer {
  const origin = createHash('sha256').update(new URL(url).origin).digest()
  return under(ownerNo, origin.subarray(0, ORIGIN_BYTES))
}
