import { performance } from 'node:perf_hooks'
import type { Registry } from 'prom-client'
import type { IntakeObserver } from '../actors/intake.js'
import type { Network } from '../domain/network.js'
import { RATE_REFUSALS, type RateRefusalReason } from '../domain/rate-set.js'
import { type DeliveryResult, isDelivered } from '../domain/webhook.js'
import type { ObserveRequest } from '../http/router.js'
import type { CommitObserver } from '../store/commit-observer.js'
import type { VerifyObserver } from '../verify/pool.js'
import type { AttemptObserver } from '../webhooks/attempt.js'
import { ATTEMPT_OUTCOMES, DEPOSIT_KINDS, DEPOSIT_OUTCOMES, metricsCatalogue, VERIFY_LANES } from './catalogue.js'
import type { Totals } from './history.js'
import { counter, histogram } from './series.js'

/*
 * What the other parts report, as series. A part knows the interface of its observer only.
 */

const MS_PER_SECOND = 1000
const FIRST_ERROR_STATUS = 400
const CREATION_ROUTE = '/api/invoices'
const now = () => performance.now()
/** Methods that get a label of their own; clients can invent others. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']

// Upper bounds of the histograms' buckets. A request or a commit takes from a tenth of a millisecond to seconds.
const DURATION_BOUNDS_SECONDS = [
  0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
/** Up to the 8 s that a receiver has (specification, Limits), and the first beyond. */
const ATTEMPT_BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 10]
/** Up to the most that a commit takes. */
const UNIT_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256]

export function requestObserver(registry: Registry, totals: Totals): ObserveRequest {
  const duration = histogram(registry, metricsCatalogue.requests, DURATION_BOUNDS_SECONDS)
  return ({ method, pattern: route = 'none', status, durationMs }) => {
    const known = METHODS.includes(method) ? method : 'other'
    duration.observe({ method: known, route, status }, durationMs / MS_PER_SECOND)
    if (status >= FIRST_ERROR_STATUS) totals.refused += 1
    else if (method === 'POST' && route === CREATION_ROUTE) totals.creations += 1
  }
}

export function commitObserver(registry: Registry): CommitObserver {
  const duration = histogram(registry, metricsCatalogue.commitDuration, DURATION_BOUNDS_SECONDS)
  const size = histogram(registry, metricsCatalogue.commitUnits, UNIT_BOUNDS)
  const failures = counter(registry, metricsCatalogue.commitFailures)
  return {
    now,
    committed(units, durationMs) {
      duration.observe(durationMs / MS_PER_SECOND)
      size.observe(units)
    },
    failed: () => failures.inc(),
  }
}

export function verifyObserver(registry: Registry, totals: Totals): VerifyObserver {
  const wait = histogram(registry, metricsCatalogue.verifyWait, DURATION_BOUNDS_SECONDS)
  for (const lane of Object.keys(VERIFY_LANES)) wait.zero({ lane })
  const failures = counter(registry, metricsCatalogue.tableFailures)
  return {
    waited(lane, waitMs) {
      wait.observe({ lane }, waitMs / MS_PER_SECOND)
      totals.verifications += 1
    },
    tablesFailed: () => failures.inc(),
  }
}

export function attemptObserver(registry: Registry, totals: Totals): AttemptObserver {
  const ended = counter(registry, metricsCatalogue.attempts)
  for (const outcome of Object.keys(ATTEMPT_OUTCOMES)) ended.inc({ outcome }, 0)
  const duration = histogram(registry, metricsCatalogue.attemptDuration, ATTEMPT_BOUNDS_SECONDS)
  return {
    ended(result) {
      ended.inc({ outcome: outcomeOf(result) })
      if (isDelivered(result)) totals.deliveries += 1
      duration.observe(result.durationMs / MS_PER_SECOND)
    },
    interrupted: (count) => ended.inc({ outcome: 'interrupted' }, count),
  }
}

function outcomeOf(result: DeliveryResult): keyof typeof ATTEMPT_OUTCOMES {
  switch (result.kind) {
    case 'answered':
      return isDelivered(result) ? 'delivered' : 'answered'
    case 'failed':
      return result.reason
  }
}

/** Begins the series of every network. */
export function beginDeposits(reports: ReturnType<typeof counter>, networks: readonly Network[]): void {
  for (const network of networks) {
    for (const kind of Object.keys(DEPOSIT_KINDS)) {
      for (const outcome of Object.keys(DEPOSIT_OUTCOMES)) reports.inc({ network, kind, outcome }, 0)
    }
  }
}

export function intakeObserver(reports: ReturnType<typeof counter>, totals: Totals): IntakeObserver {
  return {
    deposit({ network, report, outcome }) {
      reports.inc({ network, kind: report, outcome })
      if (outcome === 'applied') totals.deposits += 1
    },
  }
}

export function refusalCount(registry: Registry): (reason: RateRefusalReason) => void {
  const refused = counter(registry, metricsCatalogue.rateSetsRefused)
  for (const reason of RATE_REFUSALS) refused.inc({ reason }, 0)
  return (reason) => refused.inc({ reason })
}
