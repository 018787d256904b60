import { equalConstantTime, hmacSha256Hex } from '../crypto/hmac.js'
import { isTimely } from '../domain/api-key.js'

/** What a push of the gateway shows for itself, exactly as it arrived; an absent header is undefined. */
export interface GatewayPush {
  /** `X-Gateway-Timestamp`: Unix milliseconds, digits only. */
  readonly timestamp: string | undefined
  /** `X-Gateway-Signature`: lower-case hex HMAC-SHA256 of the timestamp, a line feed and the raw body. */
  readonly signature: string | undefined
  /** The bytes that arrived, never parsed and written anew. */
  readonly body: Uint8Array
}

/** Lower-case hex of an HMAC-SHA256. */
const SIGNATURE = /^[0-9a-f]{64}$/

/**
 * Whether the headers alone may be those of a push: a timestamp within five minutes of `nowMs` and what looks like a
 * signature. Asked before a body is taken in, which may be larger than a stranger's.
 */
export function mayBeGatewayPush({ timestamp, signature }: Omit<GatewayPush, 'body'>, nowMs: number): boolean {
  return timestamp !== undefined && signature !== undefined && SIGNATURE.test(signature) && isTimely(timestamp, nowMs)
}

/**
 * Whether whoever knows `secret` made the push within five minutes of `nowMs`, either side (decisions 8). The timestamp
 * is signed with the body, so that a recorded push is of no use later.
 */
export function isGatewayPush(push: GatewayPush, secret: string, nowMs: number): boolean {
  const { timestamp, signature, body } = push
  if (timestamp === undefined || signature === undefined || !isTimely(timestamp, nowMs)) return false
  return equalConstantTime(signature, hmacSha256Hex(Buffer.from(secret), `${timestamp}\n`, body))
}
