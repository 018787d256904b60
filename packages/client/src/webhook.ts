import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { WebhookPayload } from './api-types.js'
import { concatenated, equalConstantTime, fromHex, toBase64, toHex, utf8 } from './bytes.js'
import { BillhookError } from './error.js'

/** As libraries of Standard Webhooks have it. */
const TOLERANCE_SECONDS = 300
const MS_PER_SECOND = 1000
const SECRET = /^[0-9a-f]{64}$/
const SECONDS = /^\d{1,12}$/
/** Between the values of a header that was there more than once. Signatures in one header are separated by blanks alone. */
const REPEATED = /,\s/

/** A `Headers` object, or what Node and its frameworks have as `request.headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be from this machine's clock, a finite number. Default: 300. */
  readonly toleranceSeconds?: number | undefined
  /**
   * Whether `X-Service-Signature` alone will do. It covers no time, so a captured delivery could be sent again for ever. For a proxy that
   * drops the other headers, and for other services of the same specification. Default: false.
   */
  readonly acceptUntimed?: boolean | undefined
  /** Unix milliseconds. Default: the clock. */
  readonly nowMs?: number | undefined
}

/** A webhook that is from the service. */
export interface VerifiedWebhook {
  /** The same in every repetition of a delivery. Null if only `X-Service-Signature` was there. */
  readonly id: string | null
  readonly payload: WebhookPayload
}

/** Whether a webhook is from the service. `sentAtMs` is when it was sent, once a signature that covers it fits; else null. */
export type WebhookVerdict =
  | { readonly flaw: null; readonly webhook: VerifiedWebhook; readonly sentAtMs: number | null }
  /** `flaw` is the first reason against it, for people. */
  | { readonly flaw: string; readonly webhook: null; readonly sentAtMs: number | null }

/**
 * Checks that a webhook is from the service, unchanged and recent, and reads it. `rawBody` is the body as it arrived: never one that was
 * parsed and written again. `secrets` is the secret of the owner, or the old and the new one during a rotation.
 *
 * Throws `BillhookError` with `webhook_rejected`: answer 401. Throws a `TypeError` for a malformed secret, and for a tolerance or a time
 * that is no finite number.
 *
 * @example
 * ```js
 * import { verifyWebhook } from '@billhook/client'
 *
 * const { payload } = verifyWebhook(rawBody, headers, secret)
 * if (payload.test === true) console.log('a test: do nothing')
 * else if (payload.type === undefined) console.log(payload.reference, payload.status) // order-1001 confirmed
 * else if (payload.type === 'invoice.paid') console.log(payload.data.reference)
 * ```
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): VerifiedWebhook {
  const { webhook, flaw } = judgeWebhook(rawBody, headers, secrets, options)
  if (webhook === null) throw new BillhookError(`The webhook was rejected: ${flaw}.`, 'webhook_rejected')
  return webhook
}

/**
 * As `verifyWebhook`, but answers what is wrong with the webhook instead of throwing it. For tools that explain.
 *
 * @example
 * ```js
 * import { judgeWebhook } from '@billhook/client'
 *
 * const { flaw } = judgeWebhook(rawBody, headers, '0'.repeat(64))
 * console.log(flaw) // webhook-signature does not fit the body, its id, its time and the secret
 * ```
 */
export function judgeWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): WebhookVerdict {
  const { toleranceSeconds = TOLERANCE_SECONDS, acceptUntimed = false, nowMs = Date.now() } = options
  const given = typeof secrets === 'string' ? [secrets] : secrets
  if (!Array.isArray(given) || given.length === 0 || !given.every((secret) => SECRET.test(secret))) {
    throw new TypeError('a webhook secret must be 64 lower-case hex characters')
  }
  for (const [name, value] of Object.entries({ toleranceSeconds, nowMs })) {
    // Nothing is farther away than NaN.
    if (!Number.isFinite(value)) throw new TypeError(`${name} must be a finite number`)
  }
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('the raw body must be bytes or a string: a body that was parsed cannot be verified')
  }
  const body = typeof rawBody === 'string' ? utf8(rawBody) : rawBody
  const standard = headerOf(headers, 'webhook-signature')
  if (standard === undefined) {
    if (!acceptUntimed) return rejected('it has no webhook-signature')
    const plain = utf8(headerOf(headers, 'x-service-signature') ?? '')
    // The key is the text of the secret (specification, Webhook authenticity).
    if (!isAny(given, (secret) => equalConstantTime(plain, utf8(toHex(hmac(sha256, utf8(secret), body)))))) {
      return rejected('X-Service-Signature does not fit the body and the secret')
    }
    return verdictOn(body, null, null)
  }
  if (REPEATED.test(standard)) return rejected('it has more than one webhook-signature')
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  if (id === undefined || timestamp === undefined || !SECONDS.test(timestamp)) {
    return rejected('webhook-signature stands without a webhook-id and a webhook-timestamp')
  }
  // The key is the bytes that the secret encodes (Standard Webhooks 1.0, Signature scheme).
  const signed = concatenated(utf8(`${id}.${timestamp}.`), body)
  const signatures = standard.split(' ').map(utf8)
  const fits = (secret: string) => {
    const expected = utf8(`v1,${toBase64(hmac(sha256, fromHex(secret) ?? new Uint8Array(), signed))}`)
    return isAny(signatures, (signature) => equalConstantTime(signature, expected))
  }
  if (!isAny(given, fits)) return rejected('webhook-signature does not fit the body, its id, its time and the secret')
  const sentAtMs = Number(timestamp) * MS_PER_SECOND
  const ageSeconds = (nowMs - sentAtMs) / MS_PER_SECOND
  if (Math.abs(ageSeconds) > toleranceSeconds) {
    const when = ageSeconds < 0 ? `${-Math.floor(ageSeconds)} s in the future` : `${Math.floor(ageSeconds)} s ago`
    return rejected(`it was sent ${when}, and ${toleranceSeconds} s are tolerated`, sentAtMs)
  }
  return verdictOn(body, id, sentAtMs)
}

/** Goes through all, so that the time does not tell which one fits. */
function isAny<T>(all: readonly T[], test: (one: T) => boolean): boolean {
  return all.filter(test).length > 0
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers['get'] === 'function') return (headers as Headers).get(name) ?? undefined
  // Names are in lower case in Node, and in any case where somebody wrote them.
  const values = Object.entries(headers).filter(([key]) => key.toLowerCase() === name)
  const all = values.flatMap(([, one]) => one ?? [])
  return all.length === 0 ? undefined : all.join(', ')
}

/** The verdict on a webhook whose signature is right. */
function verdictOn(body: Uint8Array, id: string | null, sentAtMs: number | null): WebhookVerdict {
  const payload = objectIn(body)
  if (payload === null) return rejected('it is signed, but no JSON object', sentAtMs)
  return { flaw: null, webhook: { id, payload }, sentAtMs }
}

function objectIn(body: Uint8Array): WebhookPayload | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
    // The service signs what its records describe (`WebhookPayload`).
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as WebhookPayload) : null
  } catch {
    return null
  }
}

function rejected(flaw: string, sentAtMs: number | null = null): WebhookVerdict {
  return { flaw, webhook: null, sentAtMs }
}
