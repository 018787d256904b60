import { hmacSha256Base64, hmacSha256Hex } from '../crypto/hmac.js'
import { VERSION } from '../version.js'

const USER_AGENT = `Billhook/${VERSION}`
const MS_PER_SECOND = 1000
const SECRET = /^[0-9a-f]{64}$/

/** What is signed. */
export interface SignedDelivery {
  /** 32 hex characters. Receivers of Standard Webhooks deduplicate by it. */
  readonly id: string
  /** The bytes that are sent. */
  readonly body: Uint8Array
}

/**
 * The headers of a delivery. `secretHex` is the owner's secret, 64 lower-case hex characters, and `nowMs` the time of
 * sending. Two signatures of the same bytes:
 * - `X-Service-Signature`: lower-case hex; the key is the secret's text (specification, Webhook authenticity).
 * - `webhook-signature`: of `id.timestamp.body`; the key is the 32 bytes that the secret encodes, the timestamp is in
 *   seconds (Standard Webhooks 1.0, Signature scheme).
 *
 * Throws a TypeError when the secret is not one: a signature under a broken key must not leave the house.
 */
export function deliveryHeaders(
  delivery: SignedDelivery,
  secretHex: string,
  nowMs: number,
): Readonly<Record<string, string>> {
  if (!SECRET.test(secretHex)) throw new TypeError('a webhook secret must be 64 lower-case hex characters')
  const timestamp = Math.floor(nowMs / MS_PER_SECOND).toString()
  const { id, body } = delivery
  const standard = hmacSha256Base64(Buffer.from(secretHex, 'hex'), `${id}.${timestamp}.`, body)
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Service-Signature': hmacSha256Hex(Buffer.from(secretHex, 'ascii'), body),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
  }
}
