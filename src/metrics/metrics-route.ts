import { BASE_HEADERS } from '../http/failure-response.js'
import type { Route } from '../http/router.js'
import type { Metrics } from './metrics.js'

/** The only route of the metrics listener. */
export const METRICS_PATH = '/metrics'

/** `GET /metrics`, for a listener of its own: what it tells is for operators, not for clients. */
export function metricsRoute({ contentType, text }: Pick<Metrics, 'contentType' | 'text'>): Route {
  const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store', ...BASE_HEADERS }
  return {
    method: 'GET',
    pattern: METRICS_PATH,
    handle: async () => ({ status: 200, headers, body: await text() }),
  }
}
