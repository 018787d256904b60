const SECONDS = /^[0-9]{1,9}$/
const MS_PER_SECOND = 1000

/** The date format that senders must generate (RFC 9110, 5.6.7). The two obsolete formats are ignored. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * How many milliseconds from `nowMs` a `Retry-After` header asks to wait (RFC 9110, 10.2.3). Null if the header is absent
 * or malformed. The value is not bounded.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null
  if (SECONDS.test(header)) return Number(header) * MS_PER_SECOND
  const atMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
