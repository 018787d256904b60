import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHARTED, chart } from './report-parts/charts.js'
import { mergeResults } from './report-parts/merge.js'
import { reportPage } from './report-parts/report-page.js'
import { readResults, resultsText } from './report-parts/results-file.js'
import type { Results } from './results.js'

export { terminalTable } from './report-parts/terminal-table.js'

/*
 * Redraws a report from the results of a run, beside them, or makes one of several runs that measured different parts:
 *
 *     node dist/bench/report.js <results.json>
 *     node dist/bench/report.js --merge <directory> <results.json>…
 */

const USAGE = 'usage: node dist/bench/report.js <results.json>, or --merge <directory> <results.json>…\n'

/** Writes `results.json`, the page `README.md` and its charts. */
export function writeReport(results: Results, directory: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'results.json'), resultsText(results))
  draw(results, directory)
}

/** The files of a report beside its results, by name. */
export function drawn(results: Results): ReadonlyMap<string, string> {
  const charts = CHARTED.map((name): [string, string] => [`${name}.svg`, `${chart(name, results)}\n`])
  return new Map([['README.md', reportPage(results)], ...charts])
}

function draw(results: Results, directory: string): void {
  for (const [name, text] of drawn(results)) writeFileSync(join(directory, name), text)
}

function main(argv: string[]): number {
  const { values, positionals } = parseArgs({
    args: argv,
    options: { merge: { type: 'string' } },
    allowPositionals: true,
  })
  const [first] = positionals
  if (first === undefined || (values.merge === undefined && positionals.length > 1)) {
    process.stderr.write(USAGE)
    return 2
  }
  if (values.merge === undefined) draw(readResults(first), dirname(first))
  else writeReport(mergeResults(positionals.map(readResults)), values.merge)
  return 0
}

const [, script] = process.argv
const isRunDirectly = script !== undefined && existsSync(script) && realpathSync(script) === import.meta.filename
if (isRunDirectly) process.exitCode = main(process.argv.slice(2))
