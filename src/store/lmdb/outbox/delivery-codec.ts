import type { Delivery, DeliveryResult } from '../../../domain/webhook.js'
import { recordCodec } from '../tables/record-codec.js'

const STATES = ['queued', 'attempted', 'waiting', 'settled'] as const
const STATUSES = ['pending', 'confirmed'] as const
const FAILURES = ['timeout', 'dns', 'connection', 'refused_address', 'interrupted'] as const

/** The record of a delivery; its id is the key. */
export const deliveryCodec = recordCodec<Omit<Delivery, 'id'>>(
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
    row.attemptsBefore,
    row.nextAttemptAt,
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
    attemptsBefore: fields.integer(),
    nextAttemptAt: fields.integerOrNull(),
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
