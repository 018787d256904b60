import { judgeWebhook, type VerifyOptions } from '@billhook/client'

const MS_PER_SECOND = 1000

/** A webhook as it arrived. */
export interface ReceivedDelivery {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
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

/** The verdict of the client library, which merchants' receivers go by, with what else a person would want to know. */
export function deliveryVerdict(
  { headers, body }: ReceivedDelivery,
  secret: string,
  terms: VerifyOptions & { readonly nowMs: number },
): DeliveryVerdict {
  const { flaw, sentAtMs } = judgeWebhook(body, headers, secret, terms)
  const ageSeconds = sentAtMs === null ? null : Math.floor((terms.nowMs - sentAtMs) / MS_PER_SECOND)
  if (flaw !== null) return { isVerified: false, flaw, note: null, ageSeconds }
  return { isVerified: true, flaw, note: noteOn(headers, body, secret, ageSeconds), ageSeconds }
}

function noteOn(
  headers: ReceivedDelivery['headers'],
  body: Uint8Array,
  secret: string,
  ageSeconds: number | null,
): string | null {
  if (ageSeconds === null) return 'it has no webhook-signature, so a repetition is not noticed'
  const { 'x-service-signature': plain } = headers
  if (plain === undefined) return null
  const { flaw } = judgeWebhook(body, { 'x-service-signature': plain }, secret, { acceptUntimed: true })
  return flaw === null ? null : 'X-Service-Signature is made with another secret, as in a rotation'
}
