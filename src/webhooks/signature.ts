import { hmacSha256 } from '../crypto/hmac.js'
import type { SigningSecrets } from '../domain/webhook.js'
import { VERSION } from '../version.js'

const USER_AGENT = `Billhook/${VERSION}`
const MS_PER_SECOND = 1000
const SECRET = /^[0-9a-f]{64}$/

/**
 * The headers of a delivery. `id` is 32 hex characters, by which receivers of Standard Webhooks deduplicate, and `body`
 * the bytes that are sent. The secrets are 64 lower-case hex characters each, and `nowMs` is the time of sending. Two
 * kinds of signatures of the same bytes:
 * - `X-Service-Signature`: lower-case hex; the key is the secret's text (specification, Webhook authenticity). It is made
 *   with the previous secret while that one signs too, because the header has room for one and receivers still use it.
 * - `webhook-signature`: of `id.timestamp.body`; the key is the 32 bytes that the secret encodes, the timestamp is in
 *   seconds. One signature for each secret, with a space between (Standard Webhooks 1.0, Signature scheme).
 *
 * Throws a TypeError for a malformed secret: a signature with a broken key must not be sent.
 */
export function deliveryHeaders(
  { id, body }: { readonly id: string; readonly body: Uint8Array },
  { current, previous }: SigningSecrets,
  nowMs: number,
): Readonly<Record<string, string>> {
  const secrets = previous === null ? [current] : [current, previous]
  if (!secrets.every((secret) => SECRET.test(secret))) {
    throw new TypeError('a webhook secret must be 64 lower-case hex characters')
  }
  const timestamp = Math.floor(nowMs / MS_PER_SECOND).toString()
  const standard = secrets.map((secret) => {
    return `v1,${hmacSha256(Buffer.from(secret, 'hex'), `${id}.${timestamp}.`, body).toString('base64')}`
  })
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Service-Signature': hmacSha256(Buffer.from(previous ?? current, 'ascii'), body).toString('hex'),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  }
}
