import { type Markup, markup } from '../page/markup.js'

/** A value at a time, Unix ms. */
export interface Point {
  readonly at: number
  readonly value: number
}

export interface ChartParts {
  readonly title: string
  readonly unit: string
  /** Oldest first. */
  readonly points: readonly Point[]
  /** The end of the chart, Unix ms. */
  readonly nowMs: number
}

const HOUR_MS = 3_600_000
const WIDTH = 360
const HEIGHT = 100
/** Room above the highest value, for half of the line. */
const MARGIN = 2
/** A longer time between two points is a gap in the line. */
const GAP_MS = 30_000
/** The time of a row of the table. */
const ROW_MS = 300_000

/** A line over the last hour, drawn here, with the same figures as text and as a table for who does not see it. */
export function chart({ title, unit, points, nowMs }: ChartParts): Markup {
  const caption = markup`<figcaption>${title} <span class="quiet">${unit}</span></figcaption>`
  const latest = points.at(-1)
  if (latest === undefined)
    return markup`<figure>${caption}<p class="quiet">No sample yet: one is taken every ten seconds.</p></figure>
`
  const highest = Math.max(...points.map(({ value }) => value))
  const told = `Now ${figure(latest.value)}, highest ${figure(highest)}`
  return markup`<figure>${caption}
<svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" preserveAspectRatio="none" role="img" aria-label="${title}, ${unit}, over the last hour. ${told}."><path d="${pathOf(points, highest, nowMs)}"/></svg>
<p>${told}</p>
<details><summary>As a table<span class="unseen">: ${title}</span></summary>${tableOf(title, points)}</details>
</figure>
`
}

/** The line, from the left end an hour ago to the right end now. */
function pathOf(points: readonly Point[], highest: number, nowMs: number): string {
  const scale = highest === 0 ? 0 : (HEIGHT - MARGIN) / highest
  let before = Number.NEGATIVE_INFINITY
  return points
    .filter(({ at }) => at > nowMs - HOUR_MS && at <= nowMs)
    .map(({ at, value }) => {
      const x = (WIDTH * (at - nowMs + HOUR_MS)) / HOUR_MS
      const step = at - before > GAP_MS ? 'M' : 'L'
      before = at
      // The short line lets a point without neighbours be seen.
      return `${step}${x.toFixed(1)} ${(HEIGHT - value * scale).toFixed(1)}${step === 'M' ? 'h0.1' : ''}`
    })
    .join('')
}

function tableOf(title: string, points: readonly Point[]): Markup {
  const rows = new Map<number, number[]>()
  for (const { at, value } of points) {
    const from = Math.floor(at / ROW_MS) * ROW_MS
    rows.set(from, [...(rows.get(from) ?? []), value])
  }
  return markup`<table class="table" role="table">
<caption>${title}, in steps of five minutes, newest first</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">From</th><th role="columnheader" scope="col" class="figure">Mean</th><th role="columnheader" scope="col" class="figure">Highest</th></tr></thead>
<tbody role="rowgroup">
${[...rows].reverse().map(([from, values]) => row(from, values))}</tbody>
</table>`
}

function row(fromMs: number, values: readonly number[]): Markup {
  const time = new Date(fromMs).toISOString()
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return markup`<tr role="row"><td role="cell" data-title="From"><time datetime="${time}">${time.slice(11, 16)}</time></td><td role="cell" data-title="Mean" class="figure"><span>${figure(mean)}</span></td><td role="cell" data-title="Highest" class="figure"><span>${figure(Math.max(...values))}</span></td></tr>
`
}

/** Three digits are what the eye can tell apart. */
function figure(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}
