import { CONSTANT } from '../names.js'
import type { Group, Measurement, Results, Unit } from '../results.js'
import { type Bar, barChart } from './bar-chart.js'
import { GROUP_TITLES } from './groups.js'
import { best, creationLimit } from './limit.js'
import { type Line, lineChart } from './line-chart.js'
import { type Spread, spreadOf } from './spread.js'

/** The charts of a report, each a file of its own: medians, with whiskers from the lowest to the highest repetition. */

/** The groups that have a chart. */
export const CHARTED = ['throughput', 'latency', 'reads', 'history', 'batch'] as const satisfies readonly Group[]

export type ChartName = (typeof CHARTED)[number]

const WHISKERS = 'bars: median; whiskers: lowest to highest repetition'

/** The SVG of a chart. */
export function chart(name: ChartName, results: Results): string {
  const { measurements, isTiny } = results
  const title = isTiny ? `${GROUP_TITLES[name]} (tiny run: the figures mean nothing)` : GROUP_TITLES[name]
  switch (name) {
    case 'throughput': {
      const bars = barsOf(measurements, name, 'per second')
      return barChart({ title, axisName: `per second (${WHISKERS})` }, bars, 'per second', creationLimit(measurements))
    }
    case 'latency':
      return barChart({ title, axisName: `ms, by percentile (${WHISKERS})` }, barsOf(measurements, name, 'ms'), 'ms')
    case 'reads': {
      const bars = barsOf(measurements, name, 'per second').filter((bar) => bar.name !== CONSTANT)
      return barChart({ title, axisName: `per second (${WHISKERS})` }, bars, 'per second', best(measurements, CONSTANT))
    }
    case 'history':
      return lineChart(
        { title, axisName: 'µs each' },
        linesOf(measurements, name, 'µs'),
        'earlier deposits or invoices',
      )
    case 'batch':
      return lineChart({ title, axisName: 'per second' }, linesOf(measurements, name, 'per second'), 'batch size')
  }
}

/** Only figures in `unit` fit the axis; the tables have all of them. */
function barsOf(measurements: readonly Measurement[], group: Group, unit: Unit): Bar[] {
  return measurements.flatMap((measurement) => {
    const spread = spreadOf(measurement.samples)
    if (measurement.group !== group || measurement.unit !== unit || spread === null) return []
    return [{ name: measurement.name, spread, tone: toneOf(measurement) }]
  })
}

function toneOf({ group, name }: Measurement): Bar['tone'] {
  if (group !== 'throughput' || name === 'Billhook') return 'main'
  return name.startsWith('Billhook') ? 'variant' : 'other'
}

function linesOf(measurements: readonly Measurement[], group: Group, unit: Unit): Line[] {
  const points = new Map<string, Map<number, Spread>>()
  for (const { name, x = Number.NaN, samples, ...measurement } of measurements) {
    const spread = spreadOf(samples)
    if (measurement.group !== group || measurement.unit !== unit || !Number.isFinite(x) || spread === null) continue
    points.set(name, (points.get(name) ?? new Map<number, Spread>()).set(x, spread))
  }
  return [...points].map(([name, found]) => ({ name, points: new Map([...found].toSorted(([a], [b]) => a - b)) }))
}
