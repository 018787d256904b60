import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Delivered } from './api-types.js'
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
  readonly payload: Delivered
}

/**
 * Checks that a webhook is from the service, unchanged and recent, and reads it. `rawBody` is the body as it arrived: never one that was
 * parsed and written again. `secrets` is the secret of the owner, or the old and the new one during a rotation.
 *
 * Throws `BillhookError` with `webhook_rejected`: answer 401. Throws a `TypeError` for a malformed secret, and for a tolerance or a time
 * that is no finite number.
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): VerifiedWebhook {
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
    if (!acceptUntimed) throw rejected('it has no webhook-signature')
    const plain = utf8(headerOf(headers, 'x-service-signature') ?? '')
    // The key is the text of the secret (specification, Webhook authenticity).
    if (!isAny(given, (secret) => equalConstantTime(plain, utf8(toHex(hmac(sha256, utf8(secret), body)))))) {
      throw rejected('X-Service-Signature does not fit the body and the secret')
    }
    return { id: null, payload: payloadOf(body) }
  }
  if (REPEATED.test(standard)) throw rejected('it has more than one webhook-signature')
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  if (id === undefined || timestamp === undefined || !SECONDS.test(timestamp)) {
    throw rejected('webhook-signature stands without a webhook-id and a webhook-timestamp')
  }
  // The key is the bytes that the secret encodes (Standard Webhooks 1.0, Signature scheme).
  const signed = concatenated(utf8(`${id}.${timestamp}.`), body)
  const signatures = standard.split(' ').map(utf8)
  const fits = (secret: string) => {
    const expected = utf8(`v1,${toBase64(hmac(sha256, fromHex(secret) ?? new Uint8Array(), signed))}`)
    return isAny(signatures, (signature) => equalConstantTime(signature, expected))
  }
  if (!isAny(given, fits)) throw rejected('webhook-signature does not fit the body, its id, its time and the secret')
  if (Math.abs(nowMs / MS_PER_SECOND - Number(timestamp)) > toleranceSeconds) {
    throw rejected(`it was sent at another time than within ${toleranceSeconds} s of now`)
  }
  return { id, payload: payloadOf(body) }
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

function payloadOf(body: Uint8Array): Delivered {
  const payload = objectIn(body)
  if (payload === null) throw rejected('it is signed, but no JSON object')
  return payload
}

function objectIn(body: Uint8Array): Delivered | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
    // The service signs what its records describe (`Delivered`).
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Delivered) : null
  } catch {
    return null
  }
}

function rejected(flaw: string): BillhookError {
  return new BillhookError(`The webhook was rejected: ${flaw}.`, 'webhook_rejected')
}
