// Needs no package.
import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/** Whether a webhook is genuine. `body` is the bytes as they arrived; the names of the headers are in lower case. */
export function isGenuine(
  body: Uint8Array,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  secret: string,
  nowMs = Date.now(),
): boolean {
  const timestamp = String(headers['webhook-timestamp'])
  if (!/^\d+$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const mac = createHmac('sha256', Buffer.from(secret, 'hex'))
  mac.update(`${headers['webhook-id']}.${timestamp}.`).update(body)
  const expected = Buffer.from(`v1,${mac.digest('base64')}`)
  // While a secret is rotated there are two signatures, with a blank between them.
  return String(headers['webhook-signature'])
    .split(' ')
    .map((one) => Buffer.from(one))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected))
}
