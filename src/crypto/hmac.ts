/** HMAC-SHA256 (RFC 2104) for webhooks and the gateway, and the secrets it is keyed with. */

import { createHmac, type Hmac, randomFillSync, timingSafeEqual } from 'node:crypto'
import type { RandomFill } from './random.js'

/** Bytes of a webhook secret before it is written as 64 hex characters. */
const SECRET_BYTES = 32

/** Lower-case hex of the HMAC over the parts as if they were one message. Strings are taken as UTF-8. */
export function hmacSha256Hex(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): string {
  return hmacSha256(key, parts).digest('hex')
}

/** The same as standard base64 with padding. */
export function hmacSha256Base64(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): string {
  return hmacSha256(key, parts).digest('base64')
}

/**
 * Compares what a peer sent with what it should be, in a time that tells nothing of where they differ. That they
 * differ in length is not hidden; the length of an HMAC is no secret.
 */
export function equalConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

/** A new webhook secret: 64 lower-case hex characters of 256 unpredictable bits. */
export function randomSecretHex(random: RandomFill = randomFillSync): string {
  const bytes = Buffer.alloc(SECRET_BYTES)
  random(bytes)
  return bytes.toString('hex')
}

function hmacSha256(key: Uint8Array, parts: readonly (string | Uint8Array)[]): Hmac {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac
}
