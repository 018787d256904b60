import type { Logger } from '../log.js'
import type { ObserveRequest } from './router.js'
import type { RequestHead } from './server.js'

type LogError = (error: unknown, head: RequestHead) => void

/**
 * Logs requests: one line for each at level debug, and one for each that failed or was temporarily refused. The lines
 * of a request share its `requestId`, which its answer carries too. Queries, bodies and headers are not logged: they
 * contain secrets of clients, such as signatures.
 */
export function requestLog(log: Logger) {
  const onError: LogError = (error, { requestId, method, path }) => {
    log.error({ err: error, requestId, method, path }, 'request failed')
  }
  const onUnavailable: LogError = (error, { requestId, method, path }) => {
    log.warn({ err: error, requestId, method, path }, 'request refused for now')
  }
  const observe: ObserveRequest = ({ head: { requestId }, method, pattern, status, durationMs }) => {
    const rounded = Math.round(durationMs * 1000) / 1000
    log.debug({ requestId, method, route: pattern ?? null, status, durationMs: rounded }, 'request')
  }
  return { onError, onUnavailable, observers: log.isLevelEnabled('debug') ? [observe] : [] }
}
