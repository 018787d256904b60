import { performance } from 'node:perf_hooks'
import type { Logger } from '../log.js'
import type { RouterHooks } from './router.js'
import type { RequestHead } from './server.js'

type Heard = (error: unknown, head: RequestHead) => void

/** What the log hears of the router. */
interface RequestLog extends Pick<RouterHooks, 'finished'> {
  readonly onError: Heard
  readonly onUnavailable: Heard
}

/**
 * What the log says of requests: one line for each at debug, and a line for each that failed or was refused for now. Lines
 * of one request share its `requestId`, which its answer carries too. Queries, bodies and headers are not logged: they hold
 * what clients keep to themselves, signatures included.
 */
export function requestLog(log: Logger): RequestLog {
  const onError: Heard = (error, { requestId, method, path }) => {
    log.error({ err: error, requestId, method, path }, 'request failed')
  }
  const onUnavailable: Heard = (error, { requestId, method, path }) => {
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
