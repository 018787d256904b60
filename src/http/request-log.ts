import type { Logger } from '../log.js'
import type { ObserveRequest, RouterHooks } from './router.js'

/**
 * Logs requests: one line for each at level debug, and one for each that failed or was temporarily refused. The lines
 * of a request share its `requestId`, which its answer carries too. Queries, bodies and headers are not logged: they
 * contain secrets of clients, such as signatures.
 */
export function requestLog(log: Logger) {
  const onError: RouterHooks['onError'] = (error, { requestId, method, path }, isDefect) => {
    const about = { err: error, requestId, method, path }
    if (isDefect) log.error(about, 'request failed')
    else log.warn(about, 'request refused for now')
  }
  const observe: ObserveRequest = ({ head: { requestId }, method, pattern, status, durationMs }) => {
    const rounded = Math.round(durationMs * 1000) / 1000
    log.debug({ requestId, method, route: pattern ?? null, status, durationMs: rounded }, 'request')
  }
  return { onError, observers: log.isLevelEnabled('debug') ? [observe] : [] }
}
