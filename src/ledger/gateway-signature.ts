import { equalConstantTime, hmacSha256 } from '../crypto/hmac.js'
import { isTimely } from '../domain/api-key.js'

/** The credentials of a gateway's push, exactly as they arrived; an absent header is undefined. */
export interface GatewayPush {
  /** `X-Gateway-Timestamp`: Unix milliseconds, digits only. */
  readonly timestamp: string | undefined
  /** `X-Gateway-Signature`: lower-case hex HMAC-SHA256 of the timestamp, a line feed and the raw body. */
  readonly signature: string | undefined
  /** The bytes that arrived, not parsed and serialised again. */
  readonly body: Uint8Array
}

/** The form of an HMAC-SHA256 in lower-case hex. */
const SIGNATURE = /^[0-9a-f]{64}$/

/**
 * Whether headers alone may be those of a push: a timestamp within five minutes of `nowMs`, and a well-formed
 * signature. It is checked before a body is read, because pushes may have larger bodies than other requests.
 */
export function mayBeGatewayPush({ timestamp, signature }: Omit<GatewayPush, 'body'>, nowMs: number): boolean {
  return timestamp !== undefined && signature !== undefined && SIGNATURE.test(signature) && isTimely(timestamp, nowMs)
}

/**
 * Whether the push was made by a holder of one of the secrets within five minutes of `nowMs`, either side (decisions 8).
 * The timestamp is signed with the body, so a recorded push cannot be replayed later.
 */
export function isGatewayPush(push: GatewayPush, secrets: readonly string[], nowMs: number): boolean {
  return push.timestamp !== undefined && isTimely(push.timestamp, nowMs) && isAuthenticPush(push, secrets)
}

/** Whether the push was made by a holder of one of the secrets, whenever that was. */
export function isAuthenticPush({ timestamp, signature, body }: GatewayPush, secrets: readonly string[]): boolean {
  if (timestamp === undefined || signature === undefined) return false
  return secrets.some((secret) =>
    equalConstantTime(signature, hmacSha256(Buffer.from(secret), `${timestamp}\n`, body).toString('hex')),
  )
}
