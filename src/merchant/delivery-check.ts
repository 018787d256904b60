import { isUtf8 } from 'node:buffer'
import { isObject, parseJson } from '../base/json-object.js'
import { equalConstantTime, hmacSha256 } from '../crypto/hmac.js'

const MS_PER_SECOND = 1000
const SECONDS = /^\d{1,12}$/
const SECRET = /^[0-9a-f]{64}$/
/** Between the values of a header that was there more than once. */
const REPEATED = /,\s/

/** How a delivery is judged. */
export interface DeliveryTerms {
  readonly nowMs: number
  readonly toleranceSeconds: number
  /** Whether `X-Service-Signature` alone will do, which covers no time. */
  readonly acceptUntimed: boolean
}

/** A webhook as it arrived. Names of headers are in lower case. */
export interface ReceivedDelivery {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** What the headers of a delivery show about it. */
export interface DeliveryVerdict {
  /** Whether it is from the service, unchanged, and as far as its headers tell, not too old. */
  readonly isVerified: boolean
  /** The first reason against it; null when it is verified. */
  readonly flaw: string | null
  /** What a receiver should know of a delivery that is verified; null for nothing. */
  readonly note: string | null
  /** Time since it was sent; null without a timestamp that is signed. */
  readonly ageSeconds: number | null
}

/** Whether a text is a webhook secret. */
export function isWebhookSecret(text: string): boolean {
  return SECRET.test(text)
}

/**
 * Judges a delivery as docs/webhooks.md tells receivers to, and as `verifyWebhook` of the library does: by `webhook-signature`, which
 * covers the time of sending, and by `X-Service-Signature` alone only on request, where a proxy has dropped the former.
 */
export function checkDelivery(
  { headers, body }: ReceivedDelivery,
  secret: string,
  { nowMs, toleranceSeconds, acceptUntimed }: DeliveryTerms,
): DeliveryVerdict {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': standard } = headers
  const plain = headers['x-service-signature']
  const isPlainValid =
    plain !== undefined && equalConstantTime(plain, hmacSha256(Buffer.from(secret, 'ascii'), body).toString('hex'))
  if (standard === undefined) {
    if (!acceptUntimed) return rejected('it has no webhook-signature')
    return isPlainValid
      ? signed(body, null, 'it has no webhook-signature, so a repetition is not noticed')
      : rejected('X-Service-Signature does not fit the body and the secret')
  }
  if (REPEATED.test(standard)) return rejected('it has more than one webhook-signature')
  if (id === undefined || timestamp === undefined || !SECONDS.test(timestamp)) {
    return rejected('webhook-signature stands without a webhook-id and a webhook-timestamp')
  }
  const expected = hmacSha256(Buffer.from(secret, 'hex'), `${id}.${timestamp}.`, body).toString('base64')
  if (!standard.split(' ').some((one) => equalConstantTime(one, `v1,${expected}`))) {
    return rejected('webhook-signature does not fit the body, its id, its time and the secret')
  }
  const exactAge = nowMs / MS_PER_SECOND - Number(timestamp)
  const ageSeconds = Math.floor(exactAge)
  if (Math.abs(exactAge) > toleranceSeconds) {
    const told = ageSeconds < 0 ? `${-ageSeconds} s in the future` : `${ageSeconds} s ago`
    return { ...rejected(`it was sent ${told}, and ${toleranceSeconds} s are tolerated`), ageSeconds }
  }
  const isRotating = plain !== undefined && !isPlainValid
  return signed(
    body,
    ageSeconds,
    isRotating ? 'X-Service-Signature is made with another secret, as in a rotation' : null,
  )
}

function rejected(flaw: string): DeliveryVerdict {
  return { isVerified: false, flaw, note: null, ageSeconds: null }
}

/** The verdict about a body whose signature is right. */
function signed(body: Uint8Array, ageSeconds: number | null, note: string | null): DeliveryVerdict {
  const isRead = isUtf8(body) && isObject(parseJson(Buffer.from(body).toString('utf8')))
  if (!isRead) return { ...rejected('it is signed, but no JSON object'), ageSeconds }
  return { isVerified: true, flaw: null, note, ageSeconds }
}
