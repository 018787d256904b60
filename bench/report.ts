import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { throughputChart } from './report-parts/charts.js'
import { reportPage } from './report-parts/report-page.js'
import { readResults, resultsText } from './report-parts/results-file.js'
import type { Results } from './results.js'

export { terminalTable } from './report-parts/terminal-table.js'

/*
 * Redraws a report from the results of a run, beside them:
 *
 *     node dist/bench/report.js <results.json>
 */

/** Writes `results.json`, the page `index.html` drawn from it, and the first chart alone as `throughput.svg`. */
export function writeReport(results: Results, directory: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'results.json'), resultsText(results))
  draw(results, directory)
}

function draw(results: Results, directory: string): void {
  writeFileSync(join(directory, 'index.html'), reportPage(results))
  writeFileSync(join(directory, 'throughput.svg'), `${throughputChart(results)}\n`)
}

function main(argv: readonly string[]): number {
  const [path] = argv
  if (path === undefined || argv.length !== 1) {
    process.stderr.write('usage: node dist/bench/report.js <results.json>\n')
    return 2
  }
  draw(readResults(path), dirname(path))
  return 0
}

const [, script] = process.argv
const isRunDirectly = script !== undefined && existsSync(script) && realpathSync(script) === import.meta.filename
if (isRunDirectly) process.exitCode = main(process.argv.slice(2))
