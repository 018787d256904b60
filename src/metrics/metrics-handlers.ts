import { handlers } from '../http/endpoints.js'
import { BASE_HEADERS } from '../http/failure-response.js'
import type { Metrics } from './metrics.js'

export const METRICS_PATH = '/metrics'

/** For a listener of its own: metrics are for operators, not for clients. */
export function metricsHandlers(metrics: Pick<Metrics, 'contentType' | 'text'>) {
  const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store', ...BASE_HEADERS }
  return handlers({ 'GET /metrics': async () => ({ status: 200, headers, body: await metrics.text() }) })
}
