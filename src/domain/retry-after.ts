const SECONDS = /^[0-9]{1,9}$/
const MS_PER_SECOND = 1000

/** The date form that senders must generate (RFC 9110, 5.6.7). The two obsolete ones are ignored, as is anything else. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Milliseconds from `nowMs` on that a `Retry-After` header asks to wait (RFC 9110, 10.2.3); null when there is none that
 * can be understood. The value is not bounded.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null
  if (SECONDS.test(header)) return Number(header) * MS_PER_SECOND
  const atMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
