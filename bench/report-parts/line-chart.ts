import { type Markup, markup } from '../../src/page/markup.js'
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
import { SERIES_COLOURS } from './chart-style.js'
import { textWidth, wrapText } from './chart-text.js'
import { plainNumber } from './figure.js'
import { type Box, firstFree, stack } from './free-places.js'
import { linearScale, logScale, type Scale } from './scale.js'
import type { Spread } from './spread.js'

export interface Point {
  readonly x: number
  readonly spread: Spread
}

export interface Series {
  readonly name: string
  /** In the order of `x`; at least one. */
  readonly points: readonly Point[]
}

export interface LineChart {
  readonly title: string
  /** What the upright axis counts, with its unit. */
  readonly axisName: string
  /** What the other axis counts. */
  readonly sizeName: string
  /** The base of the other axis, which is logarithmic. */
  readonly base: 2 | 10
  readonly series: readonly Series[]
  readonly widthPx: number
  readonly surface: Surface
}

const PLOT_HEIGHT_PX = 260
const NAME_ROOM_PX = 170
const NAME_LINES = 3
const POINT_TEXT_PX = 11

/** A point on the chart. */
interface Place {
  readonly x: number
  readonly y: number
  readonly point: Point
}

/** Lines through medians over a logarithmic size, each named at its end, whiskers from the lowest to the highest repetition. */
export function lineChart(chart: LineChart): Markup {
  const { title, axisName, sizeName, base, series, widthPx, surface } = chart
  if (series.length === 0) return emptyChart({ title, widthPx, surface })
  const points = series.flatMap((one) => one.points)
  const bottom = PLOT_TOP_PX + PLOT_HEIGHT_PX
  const y = linearScale(Math.max(...points.map(({ spread }) => spread.max)), bottom, PLOT_TOP_PX)
  const plot: Plot = { left: tickLabelRoom(y.ticks), right: widthPx - NAME_ROOM_PX, top: PLOT_TOP_PX, bottom }
  const xs = points.map((point) => point.x)
  const x = logScale(xs, base, plot.left + 24, plot.right - 24)
  const places = series.map((one) =>
    one.points.map((point): Place => ({ point, x: x.at(point.x), y: y.at(point.spread.median) })),
  )
  return frame(
    { title, surface, widthPx, heightPx: bottom + 52 },
    markup`${valueAxis(y, plot, axisName)}
${sizeAxis(x, plot, sizeName)}
${places.map((line, n) => drawnLine(line, n % SERIES_COLOURS, y))}
${names(series, places, plot)}
${pointValues(places.flat(), y)}`,
  )
}

/** Ticks are left out where their labels would touch. */
function sizeAxis(scale: Scale, plot: Plot, name: string): Markup {
  let free = Number.NEGATIVE_INFINITY
  const ticks = scale.ticks.flatMap((tick) => {
    const label = plainNumber(tick)
    const half = textWidth(label, TEXT_PX) / 2
    const x = scale.at(tick)
    if (x - half < free) return []
    free = x + half + 10
    return [
      markup`<line class="axis" x1="${px(x)}" x2="${px(x)}" y1="${px(plot.bottom)}" y2="${px(plot.bottom + 5)}"/>
<text class="quiet" text-anchor="middle" x="${px(x)}" y="${px(plot.bottom + 20)}">${label}</text>
`,
    ]
  })
  const middle = (plot.left + plot.right) / 2
  return markup`${ticks}<text class="quiet" text-anchor="middle" x="${px(middle)}" y="${px(plot.bottom + 42)}">${name}</text>
`
}

function drawnLine(places: readonly Place[], colour: number, scale: Scale): Markup {
  const path = places.map(({ x, y }, n) => `${n === 0 ? 'M' : 'L'}${px(x)} ${px(y)}`).join('')
  const marks = places.map(
    ({ x, y, point: { spread } }) => markup`${whisker(x, scale.at(spread.min), scale.at(spread.max))}
<circle class="fill-${String(colour)}" cx="${px(x)}" cy="${px(y)}" r="3.5"/>`,
  )
  return markup`<path class="line stroke-${String(colour)}" d="${path}"/>
${marks}
`
}

/** The name of each line to the right of the plot, joined to the line's end. */
function names(series: readonly Series[], places: readonly (readonly Place[])[], plot: Plot): Markup {
  const left = plot.right + 14
  const lines = series.map(({ name }) => wrapText(name, NAME_ROOM_PX - 22, TEXT_PX, NAME_LINES))
  const ends = places.map((line) => line.at(-1) ?? { x: plot.right, y: plot.bottom })
  const blocks = lines.map((text, n) => ({ wanted: ends[n]?.y ?? 0, height: text.length * LINE_PX + 4 }))
  const middles = stack(blocks, plot.top - LINE_PX, plot.bottom + LINE_PX)
  return markup`${lines.map((text, n) => {
    const middle = middles[n] ?? 0
    const end = ends[n] ?? { x: 0, y: 0 }
    const colour = String(n % SERIES_COLOURS)
    const firstBaseline = middle - (text.length * LINE_PX) / 2 + 11
    return markup`<path class="leader stroke-${colour}" d="M${px(end.x + 6)} ${px(end.y)}L${px(left - 4)} ${px(middle)}"/>
${textLines(text, left, firstBaseline, `fill-${colour}`, 'start')}`
  })}`
}

/** Medians beside their points, where there is room; the tables have all of them. */
function pointValues(places: readonly Place[], scale: Scale): Markup {
  const taken = places.map(({ x, point: { spread } }): Box => {
    const [top, bottom] = [scale.at(spread.max) - 5, scale.at(spread.min) + 5]
    return { left: x - 5, right: x + 5, top, bottom }
  })
  return markup`${places.map(({ x, point: { spread } }) => {
    const text = plainNumber(spread.median)
    const half = textWidth(text, POINT_TEXT_PX) / 2
    const above = scale.at(spread.max) - 8
    const below = scale.at(spread.min) + 17
    const baselines = [above, below].filter((baseline) => baseline < scale.at(0) + 1)
    const candidates = baselines.map((baseline) => ({
      left: x - half,
      right: x + half,
      top: baseline - 10,
      bottom: baseline + 2,
    }))
    const box = firstFree(candidates, taken)
    if (box === null) return markup``
    taken.push(box)
    return markup`<text class="point-value" text-anchor="middle" x="${px(x)}" y="${px(box.bottom - 2)}">${text}</text>
`
  })}`
}
