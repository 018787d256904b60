import type { EventName, EventType } from '../../../domain/event.js'
import type { Delivery, DeliveryFailure, DeliveryResult } from '../../../domain/webhook.js'
import { sql } from '../connection/sql.js'

export interface DeliveryColumns {
  readonly id: string
  readonly owner: string
  readonly lane: string
  readonly invoice_id: string | null
  readonly status: Delivery['status']
  readonly event_id: string | null
  readonly event_type: EventType | null
  readonly url: string
  readonly body: string
  readonly state: Delivery['state']
  readonly created_at: number
  readonly attempted_at: number | null
  readonly attempts: number
  readonly attempts_before: number
  readonly next_attempt_at: number | null
  readonly http_status: number | null
  readonly failure: DeliveryFailure | null
  readonly detail: string | null
  readonly duration_ms: number | null
}

export const DELIVERY_COLUMNS = sql`d.id, d.owner, d.lane, d.invoice_id, d.status, d.event_id, d.event_type, d.url, d.body, d.state, d.created_at,
  d.attempted_at, d.attempts, d.attempts_before, d.next_attempt_at, d.http_status, d.failure, d.detail, d.duration_ms`

export function toDelivery(columns: DeliveryColumns): Delivery {
  return {
    id: columns.id,
    owner: columns.owner,
    invoiceId: columns.invoice_id,
    status: columns.status,
    event: eventOf(columns),
    url: columns.url,
    body: columns.body,
    state: columns.state,
    createdAt: columns.created_at,
    attemptedAt: columns.attempted_at,
    attempts: columns.attempts,
    attemptsBefore: columns.attempts_before,
    nextAttemptAt: columns.next_attempt_at,
    result: toResult(columns),
  }
}

function eventOf({ event_id: id, event_type: type }: DeliveryColumns): EventName | null {
  return id === null || type === null ? null : { id, type }
}

function toResult({ http_status, failure, detail, duration_ms: durationMs }: DeliveryColumns): DeliveryResult | null {
  if (durationMs === null) return null
  if (http_status !== null) return { kind: 'answered', httpStatus: http_status, durationMs }
  return failure === null ? null : { kind: 'failed', reason: failure, detail: detail ?? '', durationMs }
}
