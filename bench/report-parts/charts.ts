import type { Markup } from '../../src/page/markup.js'
import type { Group, Measurement, Results, Unit } from '../results.js'
import { type Bar, barChart, type LimitLine } from './bar-chart.js'
import type { Surface } from './chart-frame.js'
import type { BarTone } from './chart-style.js'
import { GROUP_TITLES } from './groups.js'
import { lineChart, type Point, type Series } from './line-chart.js'
import { spreadOf } from './spread.js'

/** Which measurements go into which chart. */

/** As wide as the page, and so that two stand beside each other. */
const FULL_PX = 920
const HALF_PX = 456

/** Contestants beside each other, and what one thread can verify at most. */
export function throughputChart(results: Results, surface: Surface): Markup {
  const { measurements, isTiny } = results
  return barChart({
    title: isTiny ? `${GROUP_TITLES.throughput} (tiny run: the figures mean nothing)` : GROUP_TITLES.throughput,
    axisName: 'creations per second; bars: median, whiskers: lowest to highest repetition',
    unit: 'per second',
    bars: bars(measurements, 'throughput', 'per second'),
    limit: verificationLimit(measurements),
    widthPx: FULL_PX,
    surface,
  })
}

export function latencyChart({ measurements }: Results): Markup {
  return barChart({
    title: 'Latency at half of the peak rate',
    axisName: 'milliseconds, by percentile',
    unit: 'ms',
    bars: bars(measurements, 'latency', 'ms'),
    limit: null,
    widthPx: HALF_PX,
    surface: 'page',
  })
}

export function readsChart({ measurements }: Results): Markup {
  return barChart({
    title: GROUP_TITLES.reads,
    axisName: 'reads per second',
    unit: 'per second',
    bars: bars(measurements, 'reads', 'per second'),
    limit: null,
    widthPx: HALF_PX,
    surface: 'page',
  })
}

export function historyChart({ measurements }: Results): Markup {
  return lineChart({
    title: GROUP_TITLES.history,
    axisName: 'microseconds each',
    sizeName: 'earlier deposits or invoices',
    base: 10,
    series: series(measurements, 'history', 'µs'),
    widthPx: FULL_PX,
    surface: 'page',
  })
}

export function batchChart({ measurements }: Results): Markup {
  return lineChart({
    title: GROUP_TITLES.batch,
    axisName: 'per second',
    sizeName: 'batch size',
    base: 2,
    series: series(measurements, 'batch', 'per second'),
    widthPx: FULL_PX,
    surface: 'page',
  })
}

/** Figures in another unit do not fit the axis; the tables have them. */
function bars(measurements: readonly Measurement[], group: Group, unit: Unit): Bar[] {
  return measurements.flatMap((measurement) => {
    const spread = spreadOf(measurement.samples)
    if (measurement.group !== group || measurement.unit !== unit || spread === null) return []
    return [{ label: measurement.name, spread, tone: toneOf(measurement) }]
  })
}

function toneOf({ group, name }: Measurement): BarTone {
  if (group === 'latency' || name === 'Billhook') return 'main'
  if (group === 'reads') return /^GET|invoice/i.test(name) ? 'main' : 'other'
  return name.startsWith('Billhook') ? 'variant' : 'other'
}

/** What bounds a service that verifies every creation on one thread. */
function verificationLimit(measurements: readonly Measurement[]): LimitLine | null {
  const limit = measurements.find(
    ({ group, name }) => group === 'limits' && /libsecp256k1/i.test(name) && /\b(one|single|1)\b/i.test(name),
  )
  const spread = limit === undefined ? null : spreadOf(limit.samples)
  return limit === undefined || spread === null ? null : { label: limit.name, value: spread.median }
}

function series(measurements: readonly Measurement[], group: Group, unit: Unit): Series[] {
  const named = new Map<string, Point[]>()
  for (const { name, x = Number.NaN, samples, ...measurement } of measurements) {
    const spread = spreadOf(samples)
    if (measurement.group !== group || measurement.unit !== unit || !Number.isFinite(x) || spread === null) continue
    named.set(name, [...(named.get(name) ?? []), { x, spread }])
  }
  return [...named].map(([name, points]) => ({ name, points: points.toSorted((a, b) => a.x - b.x) }))
}
