import { type Markup, markup } from '../../src/page/markup.js'
import { CHART_STYLE } from './chart-style.js'
import { textWidth } from './chart-text.js'
import { NOT_MEASURED, plainNumber } from './figure.js'
import type { Scale } from './scale.js'

export const TEXT_PX = 12

/** Where a chart stands: inside a page that has the style, or in a file of its own. */
export type Surface = 'page' | 'file'

/** The rectangle between the axes, in pixels from the upper left corner of the chart. */
export interface Plot {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Room for the title and the name of the upright axis. */
export const PLOT_TOP_PX = 66

/** Left of everything; a page has a margin of its own. */
const MARGIN_PX = 12

/** Room to the left of the upright axis for the labels of its ticks. */
export function tickLabelRoom(ticks: readonly number[]): number {
  return Math.max(...ticks.map((tick) => textWidth(plainNumber(tick), TEXT_PX))) + MARGIN_PX + 8
}

export interface Frame {
  readonly title: string
  readonly widthPx: number
  readonly heightPx: number
  readonly surface: Surface
}

/** The SVG element around a chart. */
export function frame({ title, widthPx, heightPx, surface }: Frame, content: Markup): Markup {
  const namespace = surface === 'file' ? markup` xmlns="http://www.w3.org/2000/svg"` : null
  const left = surface === 'file' ? 0 : MARGIN_PX
  const width = px(widthPx - left)
  const size = markup`width="${width}" height="${px(heightPx)}" viewBox="${px(left)} 0 ${width} ${px(heightPx)}"`
  return markup`<svg${namespace} class="chart" role="img" aria-label="${title}" ${size}>
${surface === 'file' ? markup`<style>${CHART_STYLE}</style>` : null}
${surface === 'file' ? markup`<rect class="background" width="100%" height="100%" rx="6"/>` : null}
<text class="title" x="${px(MARGIN_PX)}" y="24">${title}</text>
${content}
</svg>`
}

/** What a chart without a single figure says instead. */
export function emptyChart(about: Pick<Frame, 'title' | 'widthPx' | 'surface'>): Markup {
  return frame(
    { ...about, heightPx: 64 },
    markup`<text class="quiet" x="${px(MARGIN_PX)}" y="46">${NOT_MEASURED}</text>`,
  )
}

/** The upright axis: its name above it, a line across the plot for each tick. */
export function valueAxis(scale: Scale, plot: Plot, name: string): Markup {
  const ticks = scale.ticks.map((tick) => {
    const y = scale.at(tick)
    return markup`<line class="axis" x1="${px(plot.left)}" x2="${px(plot.right)}" y1="${px(y)}" y2="${px(y)}"/>
<text class="quiet" text-anchor="end" x="${px(plot.left - 8)}" y="${px(y + 4)}">${plainNumber(tick)}</text>
`
  })
  return markup`<text class="quiet" x="${px(MARGIN_PX)}" y="46">${name}</text>
${ticks}`
}

/** Lines of text, the first with its baseline at `y`. */
export function textLines(lines: readonly string[], x: number, y: number, className: string, anchor: string): Markup {
  const spans = lines.map((line, n) => markup`<tspan x="${px(x)}" y="${px(y + n * LINE_PX)}">${line}</tspan>`)
  return markup`<text class="${className}" text-anchor="${anchor}">${spans}</text>
`
}

export const LINE_PX = 15

/** From the lowest to the highest repetition; nothing when they are one point. */
export function whisker(x: number, lowY: number, highY: number): Markup | null {
  if (lowY === highY) return null
  const caps = [lowY, highY].map((y) => `M${px(x - 5)} ${px(y)}h10`).join('')
  return markup`<path class="whisker" d="M${px(x)} ${px(lowY)}V${px(highY)}${caps}"/>
`
}

/** Pixels as they are written: a tenth is as fine as anybody sees. */
export function px(value: number): string {
  return String(Math.round(value * 10) / 10)
}
