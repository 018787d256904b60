import type { Delivery, DeliveryResult } from '../../../domain/webhook.js'
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

/** The record of a delivery; its id is the key. */
export const deliveryCodec = recordCodec<Omit<Delivery, 'id'>>('deliveries', 1, {
  owner: text,
  invoiceId: text,
  status: oneOf(STATUSES),
  url: text,
  body: text,
  state: oneOf(STATES),
  createdAt: integer,
  attemptedAt: orNull(integer),
  attempts: integer,
  attemptsBefore: integer,
  nextAttemptAt: orNull(integer),
  result: storedAs(storedResult, toStored, fromStored),
})

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
