import { type Markup, markup } from '../../src/page/markup.js'
import type { Unit } from '../results.js'
import {
  emptyChart,
  frame,
  LINE_PX,
  PLOT_TOP_PX,
  type Plot,
  px,
  type Surface,
  TEXT_PX,
  textLines,
  tickLabelRoom,
  valueAxis,
  whisker,
} from './chart-frame.js'
import type { BarTone } from './chart-style.js'
import { wrapText } from './chart-text.js'
import { figure } from './figure.js'
import { linearScale, type Scale } from './scale.js'
import type { Spread } from './spread.js'

export interface Bar {
  readonly label: string
  readonly spread: Spread
  readonly tone: BarTone
}

/** A line across all bars: what cannot be passed. */
export interface LimitLine {
  readonly label: string
  readonly value: number
}

export interface BarChart {
  readonly title: string
  /** What the upright axis counts, with its unit. */
  readonly axisName: string
  readonly unit: Unit
  readonly bars: readonly Bar[]
  readonly limit: LimitLine | null
  readonly widthPx: number
  readonly surface: Surface
}

const PLOT_HEIGHT_PX = 240
const BAR_WIDTH_PX = 84
/** Each bar has this much room at least; a chart with many bars gets wider. */
const SLOT_WIDTH_PX = 72
const LIMIT_LABEL_PX = 150
const LABEL_LINES = 4

/** Upright bars for medians from zero, whiskers from the lowest to the highest repetition, values above them. */
export function barChart(chart: BarChart): Markup {
  const { title, axisName, unit, bars, limit, widthPx, surface } = chart
  if (bars.length === 0) return emptyChart({ title, widthPx, surface })
  const highest = Math.max(...bars.map(({ spread }) => spread.max), limit?.value ?? 0)
  const bottom = PLOT_TOP_PX + PLOT_HEIGHT_PX
  const scale = linearScale(highest, bottom, PLOT_TOP_PX)
  const left = tickLabelRoom(scale.ticks)
  const rightRoom = limit === null ? 16 : LIMIT_LABEL_PX + 16
  const width = Math.max(widthPx, left + rightRoom + bars.length * SLOT_WIDTH_PX)
  const plot: Plot = { left, right: width - rightRoom, top: PLOT_TOP_PX, bottom }
  const places = placed(bars, plot)
  const labelLines = Math.max(...places.map(({ label }) => label.length))
  return frame(
    { title, surface, widthPx: width, heightPx: bottom + labelLines * LINE_PX + 18 },
    markup`${valueAxis(scale, plot, axisName)}
${places.map((place) => drawnBar(place, scale, unit))}
${limit === null ? null : limitLine(limit, plot, scale, unit)}
${places.map((place) => valueLabel(place, scale, unit))}`,
  )
}

/** A bar on the chart: `x` is its middle. */
interface Place {
  readonly bar: Bar
  readonly x: number
  readonly width: number
  /** The lines of its label. */
  readonly label: readonly string[]
}

function placed(bars: readonly Bar[], plot: Plot): Place[] {
  const slot = (plot.right - plot.left) / bars.length
  return bars.map((bar, n) => ({
    bar,
    x: plot.left + (n + 0.5) * slot,
    width: Math.min(BAR_WIDTH_PX, slot * 0.62),
    label: wrapText(bar.label, slot - 8, TEXT_PX, LABEL_LINES),
  }))
}

function drawnBar({ bar, x, width, label }: Place, scale: Scale, unit: Unit): Markup {
  const { median, min, max } = bar.spread
  const [top, base] = [scale.at(median), scale.at(0)]
  const place = markup`x="${px(x - width / 2)}" y="${px(top)}" width="${px(width)}" height="${px(base - top)}"`
  return markup`<rect class="bar-${bar.tone}" ${place}><title>${bar.label}: ${figure(median, unit)}</title></rect>
${whisker(x, scale.at(min), scale.at(max))}${textLines(label, x, base + 18, '', 'middle')}`
}

/** Drawn last, over the limit's line. */
function valueLabel({ bar, x }: Place, scale: Scale, unit: Unit): Markup {
  const { median, max } = bar.spread
  return markup`<text class="value" text-anchor="middle" x="${px(x)}" y="${px(scale.at(max) - 7)}">${figure(median, unit)}</text>
`
}

function limitLine({ label, value }: LimitLine, plot: Plot, scale: Scale, unit: Unit): Markup {
  const y = scale.at(value)
  const lines = [figure(value, unit), ...wrapText(label, LIMIT_LABEL_PX, TEXT_PX, LABEL_LINES)]
  return markup`<line class="limit-line" x1="${px(plot.left)}" x2="${px(plot.right)}" y1="${px(y)}" y2="${px(y)}"/>
${textLines(lines, plot.right + 8, y + 4, 'limit-label', 'start')}`
}
