import type { DepositStatus, Sighting } from './deposit.js'

/** The webhook configuration record of an identity (specification, Webhook configuration record). */
export interface WebhookConfiguration {
  readonly owner: string
  readonly callback_url: string | null
  /** 64 hex characters. */
  readonly secret: string | null
  readonly created_at: number | null
  readonly updated_at: number | null
}

/** The record of an owner who configured nothing (decisions 7). */
export function unconfigured(owner: string): WebhookConfiguration {
  return { owner, callback_url: null, secret: null, created_at: null, updated_at: null }
}

/** The per-invoice URL wins over the owner's default; null when neither is set (specification, Webhook delivery). */
export function resolveCallback(invoiceUrl: string | null, defaultUrl: string | null): string | null {
  return invoiceUrl ?? defaultUrl
}

/** The body of a delivery, fields in the order of the specification's table. Serialised once: these bytes are signed and sent. */
export function webhookBody(
  invoice: { readonly id: string; readonly reference: string },
  status: DepositStatus,
  deposit: Sighting,
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
  })
}

/** How an attempt ended. */
export type DeliveryResult =
  | {
      readonly kind: 'answered'
      readonly httpStatus: number
      readonly durationMs: number
      /** How long the receiver asked to be left alone, of a 429 or 503 with `Retry-After`. Not kept. */
      readonly retryAfterMs?: number
    }
  | { readonly kind: 'failed'; readonly reason: DeliveryFailure; readonly detail: string; readonly durationMs: number }

/** `refused_address`: the address guard forbade the connection, nothing was sent. */
export type DeliveryFailure = 'timeout' | 'dns' | 'connection' | 'refused_address' | 'interrupted'

export function isDelivered(result: DeliveryResult): boolean {
  return result.kind === 'answered' && result.httpStatus >= 200 && result.httpStatus <= 299
}

/**
 * A webhook that is owed or was sent. `queued`: to be attempted. `attempted`: marked before sending; seen after a crash it
 * means that nobody knows whether it arrived, and without retries it is not repeated. `waiting`: the last attempt failed,
 * the next is due at `nextAttemptAt`. `settled`: the outcome is known.
 */
export interface Delivery {
  /** 32 hex characters, time-ordered. */
  readonly id: string
  readonly owner: string
  readonly invoiceId: string
  readonly status: DepositStatus
  readonly url: string
  /** Exactly what is signed and sent. */
  readonly body: string
  readonly state: 'queued' | 'attempted' | 'waiting' | 'settled'
  readonly createdAt: number
  /** When the last attempt was marked. */
  readonly attemptedAt: number | null
  /** Attempts so far, the one under way included. */
  readonly attempts: number
  /** Those before the last redelivery: what follows counts anew. */
  readonly attemptsBefore: number
  /** Unix milliseconds while `waiting`, else null. */
  readonly nextAttemptAt: number | null
  /** How the last attempt that is over ended. */
  readonly result: DeliveryResult | null
}
