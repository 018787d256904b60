import { type Markup, markup } from '../../src/page/markup.js'
import type { Machine, Results } from '../results.js'
import { charts } from './charts.js'
import { plainNumber } from './figure.js'
import { PAGE_STYLE } from './page-style.js'
import { factsTable, measurementTables, targetsTable } from './tables.js'

/** The report as an HTML document that needs nothing else: no script, no font, no image from anywhere. */
export function reportPage(results: Results): string {
  return `${targetsPart(results)}${charts(results).join('\n')}${measurementsPart(results)}`
}

function targetsPart(results: Results): Markup {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${"default-src 'none'; style-src 'unsafe-inline'"}">
<title>Billhook benchmarks</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>Billhook benchmarks</h1>
<p class="quiet">${summary(results)}</p>
${results.isTiny ? markup`<p class="warning">A tiny run: it shows that everything works, its figures mean nothing.</p>` : null}
<h2>Targets</h2>
${targetsTable(results)}
<h2>Charts</h2>
<div class="charts">
`
}

function measurementsPart(results: Results): Markup {
  const { machine, skipped } = results
  return markup`
</div>
<h2>All measurements</h2>
${measurementTables(results)}
<h2>Machine and versions</h2>
${factsTable([...machineFacts(machine), ...Object.entries(machine.versions)])}
<h2>Parameters</h2>
${factsTable(parameterFacts(results))}
<h2>Skipped</h2>
${skippedList(skipped)}
</main>
</body>
</html>
`
}

function summary({ startedAt, durationSeconds, machine, loadGenerator }: Results): string {
  const minutes = durationSeconds / 60
  const lasted = minutes < 2 ? `${plainNumber(durationSeconds)} seconds` : `${plainNumber(minutes)} minutes`
  const commit = machine.commit === null ? 'commit unknown' : `commit ${machine.commit}`
  const started = `${startedAt.slice(0, 16).replace('T', ' ')} UTC`
  return `${started}, ${lasted}, ${commit}, load by ${loadGenerator} on the same machine, ${cores(machine)}.`
}

function cores({ cores: count }: Machine): string {
  return count === 1 ? '1 core' : `${count} cores`
}

function machineFacts(machine: Machine): [string, string][] {
  return [
    ['Processor', `${machine.cpu}, ${cores(machine)}`],
    ['Memory', `${plainNumber(machine.memoryMiB, 6)} MiB`],
    ['System', machine.os],
    ['Node', machine.node],
  ]
}

function parameterFacts({ parameters, loadGenerator }: Results): [string, string][] {
  const numbers = Object.entries(parameters).map(([name, value]): [string, string] => [name, plainNumber(value, 6)])
  return [['load generator', loadGenerator], ...numbers]
}

function skippedList(skipped: readonly string[]): Markup {
  if (skipped.length === 0) return markup`<p>Nothing was skipped.</p>`
  return markup`<ul>
${skipped.map(
  (reason) => markup`<li>${reason}</li>
`,
)}</ul>`
}
