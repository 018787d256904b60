import type { DepositStatus, Sighting } from './deposit.js'
import type { EventName, EventType } from './event-type.js'
import type { Invoice } from './invoice.js'
import type { OrderFields } from './order-fields.js'
import type { OrderStatus } from './order-share.js'
import type { Payment } from './payment.js'

/**
 * What deliveries tell (decisions 7): deposits in the specified fields, these and the state of the invoice, or what happened to the
 * owner, event by event.
 */
export const WEBHOOK_PAYLOADS = ['specified', 'with-invoice', 'events'] as const

export type WebhookPayload = (typeof WEBHOOK_PAYLOADS)[number]

/** The webhook configuration record of an identity (specification, Webhook configuration record). */
export interface WebhookConfiguration {
  readonly owner: string
  readonly callback_url: string | null
  /** 64 hex characters. */
  readonly secret: string | null
  readonly created_at: number | null
  readonly updated_at: number | null
  /** Absent for `specified`, so that the record has the specified fields only. */
  readonly payload?: Exclude<WebhookPayload, 'specified'>
  /** With the payload `events`: those that are sent. */
  readonly types?: readonly EventType[]
}

/** The record of an owner who configured nothing (decisions 7). */
export function unconfigured(owner: string): WebhookConfiguration {
  return { owner, callback_url: null, secret: null, created_at: null, updated_at: null }
}

/** Seconds for which both secrets sign after a rotation: a day by default, a week at most (decisions 7). */
export const OVERLAP_DEFAULT_SECONDS = 86_400
export const OVERLAP_MAX_SECONDS = 604_800

/** The secrets that sign deliveries at a given time. */
export interface SigningSecrets {
  /** 64 hex characters, as in the configuration record. */
  readonly current: string
  /** The secret that receivers use until the overlap ends; null without an overlap. */
  readonly previous: string | null
}

/** An owner's secrets as stored. */
export interface KeptSecrets {
  readonly secret: string
  readonly previousSecret: string | null
  /** End of the overlap, Unix ms; null without one. */
  readonly overlapEndsAt: number | null
}

export function signingSecrets(kept: KeptSecrets, nowMs: number): SigningSecrets {
  const isOverlapping = kept.overlapEndsAt !== null && kept.overlapEndsAt > nowMs
  return { current: kept.secret, previous: isOverlapping ? kept.previousSecret : null }
}

/**
 * The secrets after a rotation to `next`; without `kept` it is the first secret. A rotation during an overlap replaces
 * the new secret only, because receivers still use the old one, and the answer of the first rotation may have been
 * lost.
 */
export function rotatedSecrets(kept: KeptSecrets | null, next: string, overlapMs: number, nowMs: number): KeptSecrets {
  if (kept === null || overlapMs === 0) return { secret: next, previousSecret: null, overlapEndsAt: null }
  const { current, previous } = signingSecrets(kept, nowMs)
  return { secret: next, previousSecret: previous ?? current, overlapEndsAt: nowMs + overlapMs }
}

/** The per-invoice URL wins over the owner's default; null when neither is set (specification, Webhook delivery). */
export function resolveCallback(invoiceUrl: string | null, defaultUrl: string | null): string | null {
  return invoiceUrl ?? defaultUrl
}

/**
 * Scheme, host and port of a receiver; null for a text that is no URL, as an imported invoice may have. A delivery to one is
 * recorded like any other, and fails.
 */
export function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}

/** The state of an invoice in a body with the payload `with-invoice`. */
export type InvoiceState = Pick<Invoice, 'amount' | 'currency'> &
  Omit<Payment, 'own'> &
  OrderFields & { readonly order?: OrderInBody }

/** The order of an invoice that is one of its options, as of that moment. */
export interface OrderInBody {
  readonly id: string
  readonly reference: string | null
  readonly orderNumber: string | null
  readonly status: OrderStatus
}

/** The fields of a deposit in a body. */
type DepositInBody = Pick<Sighting, 'network' | 'txHash' | 'toAddress' | 'amount' | 'currency' | 'receivedAt'>

/** What a body has behind the fields of the specification. */
export interface AddedToBody {
  /** The deposit came to an invoice that was void (decisions 6). */
  readonly late?: true
  readonly invoice?: InvoiceState
  readonly test?: true
}

/**
 * The body of a delivery: the fields of the specification's table in its order, then those of decisions 7. It is
 * serialised once, and these bytes are signed and sent.
 */
export function webhookBody(
  invoice: { readonly id: string; readonly reference: string },
  status: DepositStatus,
  deposit: DepositInBody,
  added: AddedToBody = {},
): string {
  return JSON.stringify({
    reference: invoice.reference,
    status,
    invoiceId: invoice.id,
    network: deposit.network,
    txHash: deposit.txHash,
    toAddress: deposit.toAddress,
    amount: deposit.amount,
    currency: deposit.currency,
    receivedAt: deposit.receivedAt,
    late: added.late,
    invoice: added.invoice,
    test: added.test,
  })
}

/** How an attempt ended. */
export type DeliveryResult =
  | {
      readonly kind: 'answered'
      readonly httpStatus: number
      readonly durationMs: number
      /** The `Retry-After` of a 429 or 503. Not stored. */
      readonly retryAfterMs?: number
    }
  | { readonly kind: 'failed'; readonly reason: DeliveryFailure; readonly detail: string; readonly durationMs: number }

/** `refused_address`: the address guard refused the connection, and nothing was sent. */
export const DELIVERY_FAILURES = ['timeout', 'dns', 'connection', 'refused_address', 'interrupted'] as const
export type DeliveryFailure = (typeof DELIVERY_FAILURES)[number]

/** How an attempt ended that was in progress when the process died. */
export const INTERRUPTED: DeliveryResult = {
  kind: 'failed',
  reason: 'interrupted',
  detail: 'the service stopped before the outcome was known',
  durationMs: 0,
}

export function isDelivered(result: DeliveryResult): boolean {
  return result.kind === 'answered' && result.httpStatus >= 200 && result.httpStatus <= 299
}

/**
 * A webhook, sent or to be sent. `queued`: to be attempted. `attempted`: marked before sending; found after a crash, it
 * may or may not have arrived, and without retries it is not repeated. `waiting`: the last attempt failed, and the next
 * is due at `nextAttemptAt`. `settled`: the outcome is final.
 */
export interface Delivery {
  /** 32 hex characters, time-ordered. */
  readonly id: string
  readonly owner: string
  /** Null for an event that names no invoice. */
  readonly invoiceId: string | null
  /** The status of a deposit that is notified in the specified fields; null for an event. */
  readonly status: DepositStatus | null
  /** The event that it tells; null for a deposit in the specified fields. */
  readonly event: EventName | null
  readonly url: string
  /** The exact text that is signed and sent. */
  readonly body: string
  readonly state: 'queued' | 'attempted' | 'waiting' | 'settled'
  readonly createdAt: number
  /** When the last attempt was marked. */
  readonly attemptedAt: number | null
  /** Attempts so far, including one in progress. */
  readonly attempts: number
  /** Attempts before the last redelivery, which starts a new count. */
  readonly attemptsBefore: number
  /** Unix milliseconds while `waiting`, else null. */
  readonly nextAttemptAt: number | null
  /** The outcome of the last finished attempt. */
  readonly result: DeliveryResult | null
}

/** A delivery that a deposit or an event causes. */
export type NewDelivery = Pick<Delivery, 'owner' | 'invoiceId' | 'status' | 'event' | 'url' | 'body'>

/** The states of a delivery as people and clients know them; `failed` is final. */
export const DELIVERY_STATES = ['queued', 'sending', 'waiting', 'delivered', 'failed'] as const

export function deliveryState({ state, result }: Pick<Delivery, 'state' | 'result'>): (typeof DELIVERY_STATES)[number] {
  switch (state) {
    case 'queued':
    case 'waiting':
      return state
    case 'attempted':
      return 'sending'
    case 'settled':
      return result !== null && isDelivered(result) ? 'delivered' : 'failed'
  }
}
