import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Histogram, Registry } from 'prom-client'
import { metricsCatalogue } from '../../src/metrics/catalogue.js'
import { KeptHistogram } from '../../src/metrics/histogram.js'

const BOUNDS = [0.1, 0.5, 1]
const VALUES = [0, 0.05, 0.1, 0.100_01, 0.5, 0.7, 1, 1.5, 1000]
const about = metricsCatalogue.verifyWait

describe('a histogram with kept series', () => {
  test('shows what the one of prom-client shows for the same values', async () => {
    const ours = new Registry()
    const histogram = new KeptHistogram(about, BOUNDS, ours)
    const theirs = new Registry()
    const reference = new Histogram({
      name: about.name,
      help: about.help,
      labelNames: about.labels,
      buckets: BOUNDS,
      registers: [theirs],
    })
    for (const lane of ['registered', 'unregistered']) {
      const series = histogram.series({ lane })
      for (const value of lane === 'registered' ? VALUES : VALUES.slice(0, 4)) {
        series.observe(value)
        reference.observe({ lane }, value)
      }
    }
    assert.equal(await ours.metrics(), await theirs.metrics())
  })

  test('shows a series that has heard of nothing as zeros', async () => {
    const registry = new Registry()
    new KeptHistogram(metricsCatalogue.commitUnits, [1], registry).series()
    assert.deepEqual((await registry.metrics()).split('\n').slice(2, -1), [
      'billhook_commit_units_bucket{le="1"} 0',
      'billhook_commit_units_bucket{le="+Inf"} 0',
      'billhook_commit_units_sum 0',
      'billhook_commit_units_count 0',
    ])
  })
})
