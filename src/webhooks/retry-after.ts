import { retryAfterMs } from '../base/retry-after.js'

/** The statuses that ask for a pause: too many requests, and unavailable (RFC 6585, 4; RFC 9110, 15.6.4). */
const ASKING_STATUSES = [429, 503]

/**
 * How many milliseconds from `nowMs` an answer asks to wait by `Retry-After`; null when it does not ask, or the header
 * is malformed. The value is not bounded.
 */
export function retryAfterOf(status: number, header: string | string[] | undefined, nowMs: number): number | null {
  return ASKING_STATUSES.includes(status) ? retryAfterMs(header, nowMs) : null
}
