import { COLOURS, type Drawing, draw, emptyChart, LINE_COLOURS, WIDTH_PX, whiskers } from './drawing.js'
import { plainNumber } from './figure.js'
import type { Spread } from './spread.js'

export interface Line {
  readonly name: string
  /** By size. */
  readonly points: ReadonlyMap<number, Spread>
}

const HEIGHT_PX = 400
const LEGEND_PX = 220

/** Lines of medians by size, with whiskers, on a logarithmic axis: costs that differ by orders of magnitude. */
export function lineChart(drawing: Drawing, all: readonly Line[], sizeName: string): string {
  const lines = all.map(positive).filter(({ points }) => points.size > 0)
  if (lines.length === 0) return emptyChart(drawing)
  const sizes = [...new Set(lines.flatMap(({ points }) => [...points.keys()]))].toSorted((a, b) => a - b)
  const values = lines.flatMap(({ points }) => [...points.values()])
  const options = {
    grid: { left: 78, right: LEGEND_PX + 24, top: 70, bottom: 52 },
    legend: {
      orient: 'vertical',
      left: WIDTH_PX - LEGEND_PX,
      top: 64,
      align: 'left',
      icon: 'circle',
      itemWidth: 10,
      itemGap: 12,
      data: lines.map(({ name }) => name),
      textStyle: { color: COLOURS.ink, width: LEGEND_PX - 56, overflow: 'break' },
    },
    xAxis: {
      type: 'category',
      data: sizes.map((size) => plainNumber(size)),
      name: sizeName,
      nameLocation: 'middle',
      nameGap: 30,
      nameTextStyle: { color: COLOURS.quiet },
      axisLabel: { color: COLOURS.quiet },
      axisLine: { lineStyle: { color: COLOURS.quiet } },
      axisTick: { show: false },
    },
    yAxis: {
      type: 'log',
      min: powerOfTen(Math.min(...values.map(({ min }) => min)), Math.floor),
      max: powerOfTen(Math.max(...values.map(({ max }) => max)), Math.ceil),
      splitLine: { lineStyle: { color: COLOURS.grid } },
      minorSplitLine: { show: false },
      axisLabel: { color: COLOURS.quiet, formatter: (value: number) => plainNumber(value) },
    },
    series: lines.flatMap(({ name, points }, n) => {
      const places = [...points].map(([size, spread]): [number, Spread] => [sizes.indexOf(size), spread])
      const colour = LINE_COLOURS[n % LINE_COLOURS.length] ?? COLOURS.ink
      return [
        {
          type: 'line',
          name,
          color: colour,
          clip: false,
          symbol: 'circle',
          symbolSize: 6,
          data: places.map(([at, { median }]) => [at, median]),
        },
        whiskers(places, false, { colour }),
      ]
    }),
  }
  return draw(drawing, options, HEIGHT_PX)
}

/** A logarithmic axis has no place for zero. */
function positive({ name, points }: Line): Line {
  return { name, points: new Map([...points].filter(([, { min }]) => min > 0)) }
}

function powerOfTen(value: number, round: (exponent: number) => number): number {
  return 10 ** round(Math.log10(value))
}
