import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Logger } from '../log.js'
import type { RouterHooks } from './router.js'
import type { RequestHead } from './server.js'

/**
 * What the log says of requests: one line for each at debug, and an error line for each that failed. Lines of one request
 * share its `requestId`, which is unique across restarts. Queries, bodies and headers are not logged: they hold what
 * clients keep to themselves, signatures included.
 */
export function requestLog(log: Logger): Pick<RouterHooks, 'onError' | 'finished'> {
  const process = randomBytes(4).toString('hex')
  const ids = new WeakMap<RequestHead, string>()
  let count = 0
  const idOf = (head: RequestHead): string => {
    const known = ids.get(head)
    if (known !== undefined) return known
    count += 1
    const id = `${process}-${count}`
    ids.set(head, id)
    return id
  }
  const onError: RouterHooks['onError'] = (error, head) => {
    log.error({ err: error, requestId: idOf(head), method: head.method, path: head.path }, 'request failed')
  }
  if (!log.isLevelEnabled('debug')) return { onError }
  return {
    onError,
    finished: {
      now: () => performance.now(),
      observe: ({ head, method, pattern, status, durationMs }) => {
        const rounded = Math.round(durationMs * 1000) / 1000
        log.debug({ requestId: idOf(head), method, route: pattern ?? null, status, durationMs: rounded }, 'request')
      },
    },
  }
}
