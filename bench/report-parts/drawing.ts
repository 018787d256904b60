import { BarChart, CustomChart, LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent, MarkLineComponent, TitleComponent } from 'echarts/components'
import { type EChartsCoreOption, init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { NOT_MEASURED } from './figure.js'
import type { Spread } from './spread.js'

/** Draws charts as SVG, without a DOM. Each follows the reader's light or dark scheme by itself. */

use([BarChart, CustomChart, LineChart, GridComponent, LegendComponent, MarkLineComponent, TitleComponent, SVGRenderer])

export const WIDTH_PX = 860
const EMPTY_HEIGHT_PX = 80
const WHISKER_CAP_PX = 4
const WHISKER_TEXT_GAP_PX = 6
const FONT = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif'

/** The colours of the light scheme. */
export const COLOURS = {
  ground: '#fefefe',
  ink: '#1b1f24',
  quiet: '#5c6670',
  grid: '#e3e7eb',
  limit: '#b3510b',
  main: '#2563ad',
  variant: '#8fb4de',
  other: '#a3abb3',
} as const
export const LINE_COLOURS = ['#2563ad', '#b3510b', '#0b7a5b', '#7a3e9d', '#6b6f00', '#c2185b', '#00838f', '#1b1f24']

/** What each colour becomes in the dark scheme. */
const DARK: Readonly<Record<string, string>> = {
  [COLOURS.ground]: '#14181d',
  [COLOURS.ink]: '#e6e9ec',
  [COLOURS.quiet]: '#9aa5b0',
  [COLOURS.grid]: '#2a3138',
  [COLOURS.limit]: '#f0a35e',
  [COLOURS.main]: '#5b9be6',
  [COLOURS.variant]: '#35608f',
  [COLOURS.other]: '#6b747d',
  '#0b7a5b': '#4fc9a1',
  '#7a3e9d': '#c792ea',
  '#6b6f00': '#c9cf4a',
  '#c2185b': '#ff7aa8',
  '#00838f': '#4dd0e1',
}

const DARK_RULES = Object.entries(DARK)
  .flatMap(([light, dark]) => ['fill', 'stroke'].map((paint) => `[${paint}="${light}"]{${paint}:${dark}}`))
  .join('')
const STYLE = `<style>@media (prefers-color-scheme:dark){${DARK_RULES}}</style>`

/**
 * Hover styles, data for scripts, clipping and shapes that nobody sees: a still image needs none of it, and the names
 * differ from run to run.
 */
const UNNEEDED =
  /<(style|clipPath)[\s\S]*?<\/\1>|<defs *>\s*<\/defs>|<path [^>]*fill-opacity="0"[^>]*>\s*<\/path>| (?:class|clip-path|pointer-events|ecmeta_[a-z_]+)="[^"]*"/g

export interface Drawing {
  readonly title: string
  readonly axisName: string
}

export function draw({ title, axisName }: Drawing, options: EChartsCoreOption, height: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH_PX, height })
  chart.setOption({
    animation: false,
    backgroundColor: COLOURS.ground,
    textStyle: { fontFamily: FONT, color: COLOURS.ink },
    title: {
      text: title,
      subtext: axisName,
      left: 8,
      top: 8,
      textStyle: { fontSize: 15, color: COLOURS.ink },
      subtextStyle: { fontSize: 12, color: COLOURS.quiet },
    },
    ...options,
  })
  const svg = chart.renderToSVGString().replaceAll(UNNEEDED, '')
  chart.dispose()
  return svg.replace(/<svg ([^>]*)>/, (_, head: string) => `<svg role="img" aria-label="${title}" ${head}>${STYLE}`)
}

export function emptyChart({ title }: Drawing): string {
  return draw({ title, axisName: NOT_MEASURED }, {}, EMPTY_HEIGHT_PX)
}

interface Place {
  readonly dataIndex: number
}

interface Coordinates {
  coord(value: readonly [number, number]): [number, number]
}

interface WhiskerStyle {
  readonly colour?: string
  /** The text behind the `n`th one. */
  readonly textOf?: (n: number) => string
}

/**
 * A series of error bars, with a text behind each. The library has no such series, only a way to make one. They lie along
 * the axis of values: `isHorizontal` when that is the lower one.
 */
export function whiskers(
  places: readonly (readonly [at: number, Spread])[],
  isHorizontal: boolean,
  { colour = COLOURS.ink, textOf = () => '' }: WhiskerStyle = {},
): object {
  const renderItem = ({ dataIndex }: Place, { coord }: Coordinates) => {
    const [at, { min, max }] = places[dataIndex] ?? [0, { min: 0, max: 0 }]
    const pointOf = (value: number) => coord(isHorizontal ? [value, at] : [at, value])
    const [low, high] = [pointOf(min), pointOf(max)]
    const line = isHorizontal ? `M${low[0]} ${low[1]}H${high[0]}` : `M${low[0]} ${low[1]}V${high[1]}`
    const path = {
      type: 'path',
      shape: { pathData: `${line}${[low, high].map((end) => cap(end, isHorizontal)).join('')}` },
      style: { stroke: colour, fill: 'none' },
    }
    const style = {
      text: textOf(dataIndex),
      x: high[0] + WHISKER_TEXT_GAP_PX,
      y: high[1],
      verticalAlign: 'middle',
      fill: COLOURS.ink,
      font: `12px ${FONT}`,
    }
    return { type: 'group', children: [...(min === max ? [] : [path]), { type: 'text', style }] }
  }
  const data = places.map(([at, { max }]) => (isHorizontal ? [max, at] : [at, max]))
  return { type: 'custom', silent: true, clip: false, z: 5, renderItem, data }
}

/** The end of a whisker, across it. */
function cap([x, y]: readonly [number, number], isHorizontal: boolean): string {
  const length = 2 * WHISKER_CAP_PX
  return isHorizontal ? `M${x} ${y - WHISKER_CAP_PX}v${length}` : `M${x - WHISKER_CAP_PX} ${y}h${length}`
}
