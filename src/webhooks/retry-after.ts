const SECONDS = /^[0-9]{1,9}$/
const MS_PER_SECOND = 1000

/** The date form that senders must generate (RFC 9110, 5.6.7). The two obsolete ones are ignored, as is anything else. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Too many requests, and unavailable for now: the answers that ask for a pause (RFC 6585, 4; RFC 9110, 15.6.4). */
const ASKING_STATUSES = [429, 503]

/**
 * Milliseconds that an answer asks to wait for by `Retry-After` (RFC 9110, 10.2.3), from `nowMs` on; null when it does
 * not ask, or not understandably. The value is not bounded.
 */
export function retryAfterOf(status: number, header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string' || !ASKING_STATUSES.includes(status)) return null
  if (SECONDS.test(header)) return Number(header) * MS_PER_SECOND
  const atMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
