/** Colours of one theme. Series are told apart by their direct labels; colour only helps. */
interface Palette {
  readonly background: string
  readonly ink: string
  readonly quiet: string
  readonly grid: string
  readonly bars: Readonly<Record<BarTone, string>>
  readonly limit: string
  readonly series: readonly string[]
}

/** What a bar is about: the service as it comes, the service set differently, something else. */
export type BarTone = 'main' | 'variant' | 'other'

const LIGHT: Palette = {
  background: '#ffffff',
  ink: '#1b1f24',
  quiet: '#5c6670',
  grid: '#e3e7eb',
  bars: { main: '#2563ad', variant: '#8fb4de', other: '#a3abb3' },
  limit: '#b3510b',
  series: ['#2563ad', '#b3510b', '#0b7a5b', '#7a3e9d'],
}

const DARK: Palette = {
  background: '#14181d',
  ink: '#e6e9ec',
  quiet: '#9aa5b0',
  grid: '#2a3138',
  bars: { main: '#5b9bea', variant: '#33597f', other: '#5c6670' },
  limit: '#f0a35e',
  series: ['#79b0ff', '#f0a35e', '#4fc9a1', '#c99be6'],
}

export const SERIES_COLOURS = LIGHT.series.length

/**
 * The style of charts, for a page or for an image of its own. Literal colours: not every viewer of SVG knows variables.
 * No character of it is one that markup escapes.
 */
export const CHART_STYLE = `
.chart{font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica Neue,Arial,sans-serif;font-size:12px}
.chart .title{font-size:15px;font-weight:600}
.chart .value{font-weight:600;paint-order:stroke;stroke-width:4px;stroke-linejoin:round}
.chart .point-value{font-size:11px;paint-order:stroke;stroke-width:3px;stroke-linejoin:round}
.chart .axis{stroke-width:1}
.chart .whisker{stroke-width:1.2;fill:none}
.chart .limit-line{stroke-width:1.5;stroke-dasharray:6 4}
.chart .line{stroke-width:2;fill:none;stroke-linejoin:round}
.chart .leader{stroke-width:1;stroke-dasharray:1 3;fill:none}
${coloured(LIGHT)}
@media (prefers-color-scheme:dark){
${coloured(DARK)}
}
`

function coloured({ background, ink, quiet, grid, bars, limit, series }: Palette): string {
  return [
    `.chart .background{fill:${background}}`,
    `.chart text{fill:${ink}}`,
    `.chart .quiet{fill:${quiet}}`,
    `.chart .value,.chart .point-value{stroke:${background}}`,
    `.chart .axis{stroke:${grid}}`,
    `.chart .whisker{stroke:${ink}}`,
    `.chart .limit-line{stroke:${limit}}`,
    `.chart .limit-label{fill:${limit}}`,
    ...Object.entries(bars).map(([tone, colour]) => `.chart .bar-${tone}{fill:${colour}}`),
    ...series.flatMap((colour, n) => [
      `.chart .stroke-${n}{stroke:${colour}}`,
      `.chart .fill-${n}{fill:${colour}}`,
      `.chart text.fill-${n}{fill:${colour}}`,
    ]),
  ].join('\n')
}
