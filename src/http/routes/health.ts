import { failure } from '../../domain/failure.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { Route } from '../router.js'

/** The paths, which no limit counts. */
export const HEALTH_PATHS = ['/healthz', '/readyz'] as const

/** What has to hold before traffic may come. */
export interface Readiness {
  isStoreOpen(): boolean
  /** False while the disk refuses writes. */
  takesWrites(): boolean
  isPoolReady(): boolean
  isDraining(): boolean
  /** What does not work as it should though traffic may come, one sentence each; empty when all does. */
  degradations(): readonly string[]
  /** What cannot be known with these settings, one sentence each. It is no degradation. */
  notes(): readonly string[]
}

/**
 * `GET /healthz`: the process answers. `GET /readyz`: store open, pool up, not draining. A network or a ledger that is
 * not up to date makes it `degraded`, still with 200: requests are answered as well as before.
 */
export function healthRoutes(readiness: Readiness): readonly Route[] {
  return [
    { method: 'GET', pattern: '/healthz', handle: () => jsonAnswer(200, { status: 'ok' }) },
    {
      method: 'GET',
      pattern: '/readyz',
      handle: () => {
        if (readiness.isDraining()) return failureAnswer(failure('shutting_down'))
        if (!readiness.isStoreOpen() || !readiness.isPoolReady()) return failureAnswer(failure('not_ready'))
        if (!readiness.takesWrites()) return failureAnswer(failure('storage_unavailable'))
        const degraded = readiness.degradations()
        const notes = readiness.notes()
        return jsonAnswer(200, {
          ...(degraded.length === 0 ? { status: 'ready' } : { status: 'degraded', degraded }),
          ...(notes.length === 0 ? {} : { notes }),
        })
      },
    },
  ]
}
