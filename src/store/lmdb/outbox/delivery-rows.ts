import type { DepositStatus } from '../../../domain/deposit.js'
import { EVENT_TYPES, type EventName } from '../../../domain/event.js'
import type { Delivery, DeliveryResult } from '../../../domain/webhook.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { DeliveryId } from '../tables/keys.js'
import { fieldsOf, integer, oneOf, orNull, recordCodec, storedAs, text } from '../tables/record-codec.js'

const STATES = ['queued', 'attempted', 'waiting', 'settled'] as const
const STATUSES = ['pending', 'confirmed'] as const
const FAILURES = ['timeout', 'dns', 'connection', 'refused_address', 'interrupted'] as const

interface StoredResult {
  readonly httpStatus: number | null
  readonly reason: (typeof FAILURES)[number] | null
  readonly detail: string | null
  readonly durationMs: number | null
}

const storedResult = fieldsOf<StoredResult>({
  httpStatus: orNull(integer),
  reason: orNull(oneOf(FAILURES)),
  detail: orNull(text),
  durationMs: orNull(integer),
})

interface StoredEvent {
  readonly id: string | null
  readonly type: EventName['type'] | null
}

/** The event that a delivery tells. */
export const eventName = storedAs<EventName | null, StoredEvent>(
  fieldsOf<StoredEvent>({ id: orNull(text), type: orNull(oneOf(EVENT_TYPES)) }),
  (event) => event ?? { id: null, type: null },
  ({ id, type }) => (id === null || type === null ? null : { id, type }),
)

const REST = {
  url: text,
  body: text,
  state: oneOf(STATES),
  createdAt: integer,
  attemptedAt: orNull(integer),
  attempts: integer,
  attemptsBefore: integer,
  nextAttemptAt: orNull(integer),
  result: storedAs(storedResult, toStored, fromStored),
}

type StoredDelivery = Omit<Delivery, 'id'>

/** The records of versions up to 12 of the data. */
const first = fieldsOf<Omit<StoredDelivery, 'event'> & { readonly invoiceId: string; readonly status: DepositStatus }>({
  owner: text,
  invoiceId: text,
  status: oneOf(STATUSES),
  ...REST,
})

/** The record of a delivery; its id is the key. */
export const deliveryCodec = recordCodec<StoredDelivery>(
  'deliveries',
  2,
  { owner: text, invoiceId: orNull(text), status: orNull(oneOf(STATUSES)), event: eventName, ...REST },
  { 1: (from) => ({ ...first.read(from), event: null }) },
)

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

export function putDelivery({ tables }: Commit, id: DeliveryId, row: Omit<Delivery, 'id'>): void {
  tables.deliveries.putSync(id, deliveryCodec.encode(row))
}

function toStored(result: DeliveryResult | null): StoredResult {
  const failed = result?.kind === 'failed' ? result : null
  return {
    httpStatus: result?.kind === 'answered' ? result.httpStatus : null,
    reason: failed?.reason ?? null,
    detail: failed?.detail ?? null,
    durationMs: result?.durationMs ?? null,
  }
}

function fromStored({ httpStatus, reason, detail, durationMs }: StoredResult): DeliveryResult | null {
  if (durationMs === null) return null
  if (httpStatus !== null) return { kind: 'answered', httpStatus, durationMs }
  return reason === null ? null : { kind: 'failed', reason, detail: detail ?? '', durationMs }
}
