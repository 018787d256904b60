import { CONSTANT } from '../names.js'
import type { Machine, Results } from '../results.js'
import { CHARTED, type ChartName } from './charts.js'
import { plainNumber } from './figure.js'
import { byGroup, type GroupOfMeasurements } from './groups.js'
import { aboveLimit, best, creationLimit } from './limit.js'
import { plain } from './markdown.js'
import { fiveLines } from './sizing-lines.js'
import { factsTable, measurementTable, sizesTable, targetsTable } from './tables.js'
import { targetSummary } from './target-words.js'

/** The report as a Markdown page beside its charts. */
export function reportPage(results: Results): string {
  const parts = [
    '# Benchmark report',
    '<!-- Written by `node dist/bench/report.js` from results.json; a test compares the two. -->',
    plain(summary(results)),
    ...(results.isTiny ? ['**A tiny run: it shows that everything works, its figures mean nothing.**'] : []),
    '## In five lines',
    fiveLines(results),
    '## Targets',
    targetSummary(results.targets),
    ...(results.targets.length === 0 ? [] : [targetsTable(results)]),
    '## Measurements',
    ...measurements(results),
    '## Machine and versions',
    factsTable([...machineFacts(results.machine), ...Object.entries(results.machine.versions)]),
    '## Parameters',
    factsTable(parameterFacts(results)),
    '## Skipped',
    skipped(results),
  ]
  return `${parts.join('\n\n')}\n`
}

function measurements(results: Results): string[] {
  const groups = byGroup(results.measurements)
  if (groups.length === 0) return ['Nothing was measured.']
  return groups.flatMap((group) => [
    `### ${group.title}`,
    ...(group.note === '' ? [] : [plain(group.note)]),
    ...chartOf(group, results),
    ...tablesOf(group),
  ])
}

/** A group whose figures were measured once at each size has a table of sizes, and one of the others. */
function tablesOf({ group, rows }: GroupOfMeasurements): string[] {
  if (group !== 'sizing') return [measurementTable(rows)]
  const sized = rows.filter(({ size }) => size !== '')
  const others = rows.filter(({ size }) => size === '')
  const note = sized[0]?.note ?? ''
  return [
    ...(sized.length === 0 ? [] : [plain(note), sizesTable('Invoices a second', sized)]),
    ...(others.length === 0 ? [] : [measurementTable(others)]),
  ]
}

function chartOf({ group, title }: GroupOfMeasurements, results: Results): string[] {
  const name = CHARTED.find((charted) => charted === group)
  if (name === undefined) return []
  return [`![${title}](${name}.svg)`, ...warning(name, results)]
}

/** A limit that something passed was measured wrongly, and the page says so. */
function warning(name: ChartName, { measurements: all }: Results): string[] {
  const limits = { throughput: creationLimit(all), reads: best(all, CONSTANT) }
  if (name !== 'throughput' && name !== 'reads') return []
  const above = aboveLimit(
    all.filter(({ group, name: one }) => group === name && one !== CONSTANT),
    limits[name],
  )
  if (above.length === 0) return []
  return [
    `**Above the limit: ${plain(above.join('; '))}. The limit was measured while the machine was slower: measure again.**`,
  ]
}

function summary({ startedAt, durationSeconds, machine, loadGenerator }: Results): string {
  const minutes = durationSeconds / 60
  const lasted = minutes < 2 ? `${plainNumber(durationSeconds)} seconds` : `${plainNumber(minutes)} minutes`
  const commit = machine.commit === null ? 'commit unknown' : `commit ${machine.commit}`
  const started = `${startedAt.slice(0, 16).replace('T', ' ')} UTC`
  return `${started}, ${lasted}, ${commit}, ${machine.cpu} with ${cores(machine)}, load by ${loadGenerator} on the same machine.`
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

function skipped({ skipped: reasons }: Results): string {
  if (reasons.length === 0) return 'Nothing was skipped.'
  return reasons.map((reason) => `- ${plain(reason)}`).join('\n')
}
