import type { Unit } from '../results.js'
import { COLOURS, type Drawing, draw, emptyChart, whiskers } from './drawing.js'
import { figure, plainNumber } from './figure.js'
import type { Limit } from './limit.js'
import type { Spread } from './spread.js'

export interface Bar {
  readonly name: string
  readonly spread: Spread
  readonly tone: 'main' | 'variant' | 'other'
}

const BAR_PX = 36
const ABOVE_BARS_PX = 78
const BELOW_BARS_PX = 36
/** A reader's font may be wide. */
const CHARACTER_PX = 7
const NAME_MARGIN_PX = 24
/** Right of the highest value, for its text. */
const TEXT_PX = 70

/** Horizontal bars as long as the medians, from zero, with whiskers, and a line that no bar can pass. */
export function barChart(drawing: Drawing, bars: readonly Bar[], unit: Unit, limit: Limit | null = null): string {
  if (bars.length === 0) return emptyChart(drawing)
  const highest = Math.max(...bars.map(({ spread }) => spread.max), limit?.value ?? 0)
  const namesPx = NAME_MARGIN_PX + CHARACTER_PX * Math.max(...bars.map(({ name }) => name.length))
  const options = {
    grid: { left: namesPx, right: TEXT_PX, top: ABOVE_BARS_PX, bottom: BELOW_BARS_PX },
    xAxis: {
      type: 'value',
      min: 0,
      ...axisEnd(highest),
      splitLine: { lineStyle: { color: COLOURS.grid } },
      axisLabel: { color: COLOURS.quiet, formatter: (value: number) => plainNumber(value) },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: bars.map(({ name }) => name),
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: { interval: 0, color: COLOURS.ink, fontSize: 12 },
    },
    series: [
      {
        type: 'bar',
        barWidth: '58%',
        data: bars.map(({ spread, tone }) => ({ value: spread.median, itemStyle: { color: COLOURS[tone] } })),
        ...(limit === null ? {} : { markLine: limitLine(limit, unit) }),
      },
      whiskers(
        bars.map(({ spread }, n) => [n, spread]),
        true,
        { textOf: (n) => figure(bars[n]?.spread.median ?? Number.NaN, unit) },
      ),
    ],
  }
  return draw(drawing, options, ABOVE_BARS_PX + BELOW_BARS_PX + BAR_PX * bars.length)
}

/** Where the axis ends, and its steps. The library would end it behind the longest bar, and not show a limit beyond. */
function axisEnd(highest: number): { readonly max: number; readonly interval: number } {
  if (highest <= 0) return { max: 1, interval: 1 }
  const power = 10 ** Math.floor(Math.log10(highest))
  const interval = power * (highest < 2 * power ? 0.2 : highest < 5 * power ? 0.5 : 1)
  return { max: Math.ceil(highest / interval) * interval, interval }
}

function limitLine({ name, value }: Limit, unit: Unit): object {
  return {
    symbol: 'none',
    silent: true,
    data: [{ xAxis: value }],
    lineStyle: { color: COLOURS.limit, type: 'dashed' },
    label: {
      formatter: `limit: ${name}, ${figure(value, unit)}`,
      color: COLOURS.limit,
      position: 'start',
      align: 'right',
    },
  }
}
