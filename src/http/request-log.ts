import type { Logger } from '../log.js'
import { LogThrottle } from '../log-throttle.js'
import type { ObserveRequest, RouterHooks } from './router.js'

/** Shortest time between two lines about refusals of one kind: a full disk refuses every write. */
const REFUSALS_LOG_INTERVAL_MS = 1000

/**
 * Logs requests: one line for each at level debug, one for each that failed, and one a second for those that were
 * temporarily refused. The lines of a request share its `requestId`, which its answer carries too. Queries, bodies and headers are not logged: they
 * contain secrets of clients, such as signatures. `observers` are `others` and, if the level asks for it, the line for each
 * request; `levelChanged` brings the list up to date.
 */
export function requestLog(log: Logger, others: readonly ObserveRequest[]) {
  const refusals = new Map<string, LogThrottle>()
  const refused = (error: unknown, about: object) => {
    const kind = error instanceof Error ? error.name : ''
    const throttle = refusals.get(kind) ?? new LogThrottle(REFUSALS_LOG_INTERVAL_MS)
    refusals.set(kind, throttle)
    const withheld = throttle.next()
    if (withheld !== null) log.warn({ ...about, withheld }, 'request refused for now')
  }
  const onError: RouterHooks['onError'] = (error, { requestId, method, path }, isDefect) => {
    const about = { err: error, requestId, method, path }
    if (isDefect) log.error(about, 'request failed')
    else refused(error, about)
  }
  const observe: ObserveRequest = ({ head: { requestId }, method, pattern, status, durationMs }) => {
    const rounded = Math.round(durationMs * 1000) / 1000
    log.debug({ requestId, method, route: pattern ?? null, status, durationMs: rounded }, 'request')
  }
  const observers: ObserveRequest[] = []
  const levelChanged = () => {
    observers.splice(0, observers.length, ...others, ...(log.isLevelEnabled('debug') ? [observe] : []))
  }
  levelChanged()
  return { onError, observers, levelChanged }
}
