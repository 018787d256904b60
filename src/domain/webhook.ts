import type { DepositStatus, Sighting } from './deposit.js'
import type { Invoice } from './invoice.js'
import type { Payment } from './payment.js'

/** What bodies hold: the fields of the specification, or these and how it stands with the invoice (decisions 7). */
export const WEBHOOK_PAYLOADS = ['specified', 'with-invoice'] as const

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
  readonly payload?: 'with-invoice'
}

/** The record of an owner who configured nothing (decisions 7). */
export function unconfigured(owner: string): WebhookConfiguration {
  return { owner, callback_url: null, secret: null, created_at: null, updated_at: null }
}

/** The per-invoice URL wins over the owner's default; null when neither is set (specification, Webhook delivery). */
export function resolveCallback(invoiceUrl: string | null, defaultUrl: string | null): string | null {
  return invoiceUrl ?? defaultUrl
}

/** How it stands with an invoice, as a body with the payload `with-invoice` tells it. */
export type InvoiceState = Pick<Invoice, 'amount' | 'currency'> & Payment

/** What a body tells of a deposit. */
type DepositInBody = Pick<Sighting, 'network' | 'txHash' | 'toAddress' | 'amount' | 'currency' | 'receivedAt'>

/**
 * The body of a delivery, fields in the order of the specification's table, then what decisions 7 add. Serialised once:
 * these bytes are signed and sent.
 */
export function webhookBody(
  invoice: { readonly id: string; readonly reference: string },
  status: DepositStatus,
  deposit: DepositInBody,
  added: { readonly invoice?: InvoiceState; readonly test?: true } = {},
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
    ...added,
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
