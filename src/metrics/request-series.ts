import type { FinishedRequest } from '../http/router.js'
import type { KeptHistogram, Series } from './histogram.js'

/** Methods that a route may have or that are answered beside routes; every other one counts as `other`. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']
const OTHER_METHOD = 'other'
/** The label of requests that no route was chosen for. */
const NO_ROUTE = 'none'
const MS_PER_SECOND = 1000
/** More than there are methods, so that a status and a method make one number. */
const METHODS_LIMIT = 8

/** The durations of requests by route, method and status. Their number is bounded by the routes and the codes. */
export class RequestSeries {
  private readonly byRoute = new Map<string, Map<number, Series>>()

  constructor(private readonly histogram: KeptHistogram) {}

  observe({ method, pattern = NO_ROUTE, status, durationMs }: FinishedRequest): void {
    let ofRoute = this.byRoute.get(pattern)
    if (ofRoute === undefined) {
      ofRoute = new Map()
      this.byRoute.set(pattern, ofRoute)
    }
    const methodNo = METHODS.indexOf(method)
    const key = status * METHODS_LIMIT + methodNo + 1
    let series = ofRoute.get(key)
    if (series === undefined) {
      const labels = { method: METHODS[methodNo] ?? OTHER_METHOD, route: pattern, status: String(status) }
      series = this.histogram.series(labels)
      ofRoute.set(key, series)
    }
    series.observe(durationMs / MS_PER_SECOND)
  }
}
