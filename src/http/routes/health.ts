import { type FailureCode, failure } from '../../domain/failure.js'
import { handlers } from '../endpoints.js'
import { failureAnswer, jsonAnswer } from '../json.js'

/** What must hold before the service can take traffic. */
export interface Readiness {
  isStoreOpen(): boolean
  /** False while the disk refuses writes. */
  takesWrites(): boolean
  isPoolReady(): boolean
  isDraining(): boolean
  /** What is impaired although the service can take traffic, one sentence each. */
  degradations(): readonly string[]
  /** What cannot be known with these settings, one sentence each. This is not a degradation. */
  notes(): readonly string[]
}

/** Why the service cannot take traffic; null when it can. */
export function unreadiness(
  readiness: Pick<Readiness, 'isStoreOpen' | 'takesWrites' | 'isPoolReady' | 'isDraining'>,
): FailureCode | null {
  if (readiness.isDraining()) return 'shutting_down'
  if (!readiness.isStoreOpen() || !readiness.isPoolReady()) return 'not_ready'
  return readiness.takesWrites() ? null : 'storage_unavailable'
}

/**
 * `/healthz`: the process answers. `/readyz`: the store is open, the pool is up, and the service is not draining. If a
 * network or the ledger lags behind, it reports `degraded`, still with 200: requests are answered as well as before.
 */
export function healthHandlers(readiness: Readiness) {
  return handlers({
    'GET /healthz': () => jsonAnswer(200, { status: 'ok' }),
    'GET /readyz': () => {
      const reason = unreadiness(readiness)
      if (reason !== null) return failureAnswer(failure(reason))
      const degraded = readiness.degradations()
      const notes = readiness.notes()
      return jsonAnswer(200, {
        ...(degraded.length === 0 ? { status: 'ready' } : { status: 'degraded', degraded }),
        ...(notes.length === 0 ? {} : { notes }),
      })
    },
  })
}
