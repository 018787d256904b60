import { failure } from '../../domain/failure.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { Route } from '../router.js'

/** What has to hold before traffic may come. */
export interface Readiness {
  isStoreOpen(): boolean
  isPoolReady(): boolean
  isDraining(): boolean
}

/** `GET /healthz`: the process answers. `GET /readyz`: store open, pool up, not draining. */
export function healthRoutes(readiness: Readiness): readonly Route[] {
  return [
    { method: 'GET', pattern: '/healthz', handle: () => jsonAnswer(200, { status: 'ok' }) },
    {
      method: 'GET',
      pattern: '/readyz',
      handle: () => {
        if (readiness.isDraining()) return failureAnswer(failure('shutting_down'))
        if (!readiness.isStoreOpen() || !readiness.isPoolReady()) return failureAnswer(failure('not_ready'))
        return jsonAnswer(200, { status: 'ready' })
      },
    },
  ]
}
