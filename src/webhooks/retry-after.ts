import { retryAfterMs } from '../base/retry-after.js'

/** Too many requests, and unavailable for now: the answers that ask for a pause (RFC 6585, 4; RFC 9110, 15.6.4). */
const ASKING_STATUSES = [429, 503]

/**
 * Milliseconds that an answer asks to wait for by `Retry-After`, from `nowMs` on; null when it does not ask, or not
 * understandably. The value is not bounded.
 */
export function retryAfterOf(status: number, header: string | string[] | undefined, nowMs: number): number | null {
  return ASKING_STATUSES.includes(status) ? retryAfterMs(header, nowMs) : null
}
