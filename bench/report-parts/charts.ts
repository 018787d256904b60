import { BarChart, CustomChart, LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent, MarkLineComponent, TitleComponent } from 'echarts/components'
import { type EChartsCoreOption, init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import type { Group, Measurement, Results, Unit } from '../results.js'
import { figure, NOT_MEASURED, plainNumber } from './figure.js'
import { GROUP_TITLES } from './groups.js'
import { type Spread, spreadOf } from './spread.js'

/** The charts of a report, each an SVG element: medians, with whiskers from the lowest to the highest repetition. */

use([BarChart, CustomChart, LineChart, GridComponent, LegendComponent, MarkLineComponent, TitleComponent, SVGRenderer])

/** One chart fills the page's width, or two stand side by side. */
const FULL_PX = 920
const HALF_PX = 456
const HEIGHT_PX = 380
const EMPTY_HEIGHT_PX = 80
const WHISKER_CAP_PX = 5
/** Width of the names to the right of a plot. */
const NAME_PX = 160
/** The grid's box encloses the labels of the axes. */
const AROUND_LABELS = { outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' }
/**
 * Hover styles, data for scripts and clipping: a still image needs none of it, and its names differ from run to run.
 */
const UNNEEDED =
  /<(style|clipPath)[\s\S]*?<\/\1>|<defs *>\s*<\/defs>| (?:class|clip-path|pointer-events|ecmeta_[a-z_]+)="[^"]*"/g
const FONT = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif'
const INK = '#1b1f24'
const QUIET = '#5c6670'
const GRID = '#e3e7eb'
const LIMIT = '#b3510b'
const BAR_COLOURS = { main: '#2563ad', variant: '#8fb4de', other: '#a3abb3' }
const LINE_COLOURS = ['#2563ad', '#b3510b', '#0b7a5b', '#7a3e9d', '#6b6f00', '#c2185b', '#00838f', '#1b1f24']

interface Bar {
  readonly name: string
  readonly spread: Spread
  readonly colour: string
}

interface Line {
  readonly name: string
  /** By size. */
  readonly points: ReadonlyMap<number, Spread>
}

interface Drawing {
  readonly title: string
  readonly axisName: string
  readonly widthPx: number
}

/** Creation rates of the contestants, with the verification rate of one thread as a limit line. */
export function throughputChart({ measurements, isTiny }: Results): string {
  const title = isTiny ? `${GROUP_TITLES.throughput} (tiny run: the figures mean nothing)` : GROUP_TITLES.throughput
  const axisName = 'creations per second (bars: median; whiskers: lowest to highest repetition)'
  const bars = barsOf(measurements, 'throughput', 'per second')
  return barChart({ title, axisName, widthPx: FULL_PX }, bars, 'per second', verificationLimit(measurements))
}

/** All charts of the page. */
export function charts(results: Results): readonly string[] {
  const { measurements } = results
  const latency = { title: 'Latency at half of the peak rate', axisName: 'ms, by percentile', widthPx: HALF_PX }
  const reads = { title: GROUP_TITLES.reads, axisName: 'reads per second', widthPx: HALF_PX }
  const history = { title: GROUP_TITLES.history, axisName: 'µs each', widthPx: FULL_PX }
  const batch = { title: GROUP_TITLES.batch, axisName: 'per second', widthPx: FULL_PX }
  return [
    throughputChart(results),
    barChart(latency, barsOf(measurements, 'latency', 'ms'), 'ms'),
    barChart(reads, barsOf(measurements, 'reads', 'per second'), 'per second'),
    lineChart(history, linesOf(measurements, 'history', 'µs'), 'earlier deposits or invoices'),
    lineChart(batch, linesOf(measurements, 'batch', 'per second'), 'batch size'),
  ]
}

function barChart(drawing: Drawing, bars: readonly Bar[], unit: Unit, limit: Measurement | null = null): string {
  const limitSpread = limit === null ? null : spreadOf(limit.samples)
  if (bars.length === 0) return emptyChart(drawing)
  const highest = Math.max(...bars.map(({ spread }) => spread.max), limitSpread?.median ?? 0)
  const right = limitSpread === null ? 16 : NAME_PX
  return draw(drawing, {
    grid: { left: 12, right, top: 70, bottom: 8, ...AROUND_LABELS },
    xAxis: {
      type: 'category',
      data: bars.map(({ name }) => name),
      axisTick: { show: false },
      axisLabel: {
        interval: 0,
        color: INK,
        fontSize: 10,
        width: (drawing.widthPx - right - 70) / bars.length - 10,
        overflow: 'break',
      },
    },
    yAxis: valueAxis(highest),
    series: [
      {
        type: 'bar',
        barMaxWidth: 84,
        data: bars.map(({ spread, colour }) => ({ value: spread.median, itemStyle: { color: colour } })),
        ...(limit === null || limitSpread === null ? {} : { markLine: limitLine(limit.name, limitSpread.median) }),
      },
      whiskers(
        bars.map(({ spread }, n) => [n, spread]),
        (n) => figure(bars[n]?.spread.median ?? Number.NaN, unit),
      ),
    ],
  })
}

function lineChart(drawing: Drawing, lines: readonly Line[], sizeName: string): string {
  if (lines.length === 0) return emptyChart(drawing)
  const sizes = [...new Set(lines.flatMap(({ points }) => [...points.keys()]))].toSorted((a, b) => a - b)
  const highest = Math.max(...lines.flatMap(({ points }) => [...points.values()].map(({ max }) => max)))
  return draw(drawing, {
    grid: { left: 12, right: NAME_PX + 70, top: 70, bottom: 30, ...AROUND_LABELS },
    legend: {
      orient: 'vertical',
      right: 28,
      top: 60,
      align: 'left',
      data: lines.map(({ name }) => name),
      textStyle: { color: INK, width: NAME_PX, overflow: 'break' },
    },
    xAxis: {
      type: 'category',
      data: sizes.map((size) => plainNumber(size)),
      name: sizeName,
      nameLocation: 'middle',
      nameGap: 28,
      nameTextStyle: { color: QUIET },
    },
    yAxis: valueAxis(highest),
    series: lines.flatMap(({ name, points }, n) => {
      const places = [...points].map(([size, spread]): [number, Spread] => [sizes.indexOf(size), spread])
      return [
        {
          type: 'line',
          name,
          color: LINE_COLOURS[n % LINE_COLOURS.length],
          clip: false,
          symbol: 'circle',
          symbolSize: 7,
          data: places.map(([at, { median }]) => [at, median]),
        },
        whiskers(places, () => ''),
      ]
    }),
  })
}

/** Draws a chart without a DOM. */
function draw({ title, axisName, widthPx }: Drawing, options: EChartsCoreOption, height = HEIGHT_PX): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: widthPx, height })
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: { fontFamily: FONT, color: INK },
    title: {
      text: title,
      subtext: axisName,
      textStyle: { fontSize: 15, color: INK },
      subtextStyle: { fontSize: 12, color: QUIET },
    },
    ...options,
  })
  const svg = chart.renderToSVGString().replaceAll(UNNEEDED, '')
  chart.dispose()
  return svg.replace('<svg ', `<svg role="img" aria-label="${title}" `)
}

function emptyChart(drawing: Drawing): string {
  return draw({ ...drawing, axisName: NOT_MEASURED }, {}, EMPTY_HEIGHT_PX)
}

/** From zero. */
function valueAxis(highest: number): object {
  const line = { lineStyle: { color: GRID } }
  const axisLabel = { color: QUIET, formatter: (value: number) => plainNumber(value) }
  return { type: 'value', min: 0, ...(highest > 0 ? {} : { max: 1 }), splitLine: line, axisLabel }
}

function limitLine(name: string, value: number): object {
  const label = `${figure(value, 'per second')}\n${name}`
  return {
    symbol: 'none',
    silent: true,
    data: [{ yAxis: value }],
    lineStyle: { color: LIMIT, type: 'dashed' },
    label: { formatter: label, color: LIMIT, width: NAME_PX - 20, overflow: 'break', align: 'left' },
  }
}

interface Place {
  readonly dataIndex: number
}

interface Coordinates {
  coord(value: readonly [number, number]): [number, number]
}

/** A series of error bars, with a text above each. The library has no such series, only a way to make one. */
function whiskers(places: readonly (readonly [at: number, Spread])[], textOf: (n: number) => string): object {
  const renderItem = ({ dataIndex }: Place, { coord }: Coordinates) => {
    const [at, { min, max }] = places[dataIndex] ?? [0, { min: 0, max: 0 }]
    const [x, low] = coord([at, min])
    const [, high] = coord([at, max])
    const stroke = { stroke: INK, fill: 'none' }
    const cap = (y: number) => `M${x - WHISKER_CAP_PX} ${y}h${2 * WHISKER_CAP_PX}`
    const path = { type: 'path', shape: { pathData: `M${x} ${low}V${high}${cap(low)}${cap(high)}` }, style: stroke }
    const style = {
      text: textOf(dataIndex),
      x,
      y: high - 5,
      align: 'center',
      verticalAlign: 'bottom',
      fill: INK,
      font: `12px ${FONT}`,
    }
    return { type: 'group', children: [...(min === max ? [] : [path]), { type: 'text', style }] }
  }
  return { type: 'custom', silent: true, clip: false, z: 5, renderItem, data: places.map(([at, { max }]) => [at, max]) }
}

/** Only figures in `unit` fit the axis; the tables have all of them. */
function barsOf(measurements: readonly Measurement[], group: Group, unit: Unit): Bar[] {
  return measurements.flatMap((measurement) => {
    const spread = spreadOf(measurement.samples)
    if (measurement.group !== group || measurement.unit !== unit || spread === null) return []
    return [{ name: measurement.name, spread, colour: BAR_COLOURS[toneOf(measurement)] }]
  })
}

function toneOf({ group, name }: Measurement): keyof typeof BAR_COLOURS {
  if (group === 'latency' || name === 'Billhook') return 'main'
  if (group === 'reads') return /^GET|invoice/i.test(name) ? 'main' : 'other'
  return name.startsWith('Billhook') ? 'variant' : 'other'
}

/** The upper bound of a service that verifies every creation on one thread. */
function verificationLimit(measurements: readonly Measurement[]): Measurement | null {
  const isLimit = ({ group, name, samples }: Measurement) =>
    group === 'limits' && /libsecp256k1/i.test(name) && /\b(one|single|1)\b/i.test(name) && spreadOf(samples) !== null
  return measurements.find(isLimit) ?? null
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
