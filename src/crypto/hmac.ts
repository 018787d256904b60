import { createHmac, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA256 (RFC 2104) of the parts as one message. Strings are taken as UTF-8. */
export function hmacSha256(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

/**
 * Compares what a peer sent with what it should be, in a time that does not depend on where they differ. A difference in
 * length is not hidden; the length of an HMAC is no secret.
 */
export function equalConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
