import { performance } from 'node:perf_hooks'
import type { Logger } from '../log.js'
import type { RouterHooks } from './router.js'
import type { RequestHead } from './server.js'

type LogError = (error: unknown, head: RequestHead) => void

/** The hooks of the router that write the log. */
interface RequestLog extends Pick<RouterHooks, 'finished'> {
  readonly onError: LogError
  readonly onUnavailable: LogError
}

/**
 * Logs requests: one line for each at level debug, and one for each that failed or was temporarily refused. The lines
 * of a request share its `requestId`, which its answer carries too. Queries, bodies and headers are not logged: they
 * contain secrets of clients, such as signatures.
 */
export function requestLog(log: Logger): RequestLog {
  const onError: LogError = (error, { requestId, method, path }) => {
    log.error({ err: error, requestId, method, path }, 'request failed')
  }
  const onUnavailable: LogError = (error, { requestId, method, path }) => {
    log.warn({ err: error, requestId, method, path }, 'request refused for now')
  }
  if (!log.isLevelEnabled('debug')) return { onError, onUnavailable }
  return {
    onError,
    onUnavailable,
    finished: {
      now: () => performance.now(),
      observe: ({ head, method, pattern, status, durationMs }) => {
        const rounded = Math.round(durationMs * 1000) / 1000
        const { requestId } = head
        log.debug({ requestId, method, route: pattern ?? null, status, durationMs: rounded }, 'request')
      },
    },
  }
}
