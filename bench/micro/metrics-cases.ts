import type { RequestHead } from '../../src/http/server.js'
import { metricsCatalogue } from '../../src/metrics/catalogue.js'
import { Metrics } from '../../src/metrics/metrics.js'
import type { Case } from './case.js'
import { functionCase } from './function-case.js'

const STATUSES = [201, 200, 404, 409] as const
const COMMIT_UNITS = [1, 8, 64, 256] as const

/** The cost of metrics. Rejects when an observation is not counted. */
export async function metricsCases(): Promise<readonly Case[]> {
  const metrics = new Metrics()
  const { requests, verifications, commits } = metrics
  // The metrics do not read the head.
  const head = {} as RequestHead
  const cases = [
    functionCase({
      name: 'count a request, both readings of the clock included',
      inputs: STATUSES,
      run: (status) => {
        const startedAt = performance.now()
        const durationMs = performance.now() - startedAt
        requests({ head, method: 'POST', pattern: '/api/invoices', status, durationMs })
        return startedAt
      },
      isRight: (startedAt) => startedAt > 0,
    }),
    functionCase({
      name: 'count a signature, one reading of the clock included',
      inputs: ['registered', 'unregistered'] as const,
      run: (lane) => {
        const now = performance.now()
        verifications.waited(lane, 1)
        return now
      },
      isRight: (now) => now > 0,
    }),
    functionCase({
      name: 'count a commit, both readings of the clock included',
      inputs: COMMIT_UNITS,
      run: (units) => {
        const startedAt = commits.now()
        commits.committed(units, commits.now() - startedAt)
        return startedAt
      },
      isRight: (startedAt) => startedAt > 0,
    }),
  ]
  const text = await metrics.text()
  for (const { name } of [metricsCatalogue.requests, metricsCatalogue.verifyWait, metricsCatalogue.commitUnits]) {
    const counted = new RegExp(`^${name}_count\\S* [1-9]`, 'm').test(text)
    if (!counted) throw new Error(`${name} does not count`)
  }
  return cases
}
