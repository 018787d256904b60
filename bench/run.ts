import { temporaryDirectory } from '../test/support/temporary-directory.js'
import { type Bench, Findings } from './bench.js'
import { chooseLoadGenerator } from './load/choose-load-generator.js'
import { describeMachine } from './machine.js'
import { type Options, PARTS, type Part, readOptions, USAGE } from './parameters.js'
import { history } from './parts/history.js'
import { latency } from './parts/latency.js'
import { micro } from './parts/micro.js'
import { processCosts } from './parts/process.js'
import { reads } from './parts/reads.js'
import { throughput } from './parts/throughput.js'
import { webhooks } from './parts/webhooks.js'
import { terminalTable, writeReport } from './report.js'
import type { Results } from './results.js'
import { say } from './service-process.js'
import { judgeTargets } from './targets.js'

/*
 * Runs all benchmarks (`npm run bench`), prints a table and writes the report. Exits with 1 when a part failed. A
 * contestant that cannot run here is skipped, and a missed target is not a failure.
 */

const RUNS: Readonly<Record<Part, (bench: Bench, options: Options) => Promise<void>>> = {
  throughput,
  latency,
  reads,
  history,
  webhooks,
  process: processCosts,
  micro,
}

process.exitCode = await main()

async function main(): Promise<number> {
  let options: Options
  try {
    options = readOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}\n`)
    return 2
  }
  const startedAt = Date.now()
  const { path: directory, remove } = temporaryDirectory()
  const loadGenerator = chooseLoadGenerator()
  const findings = new Findings()
  findings.versions[loadGenerator.name] = loadGenerator.version
  let failed = 0
  try {
    for (const part of PARTS.filter((name) => options.parts.has(name))) {
      say(`== ${part}`)
      try {
        await RUNS[part]({ parameters: options.parameters, loadGenerator, directory, findings }, options)
      } catch (error) {
        failed += 1
        process.stderr.write(`${part}: ${error instanceof Error ? error.stack : error}\n`)
        findings.skip(part, error)
      }
    }
  } finally {
    remove()
  }
  const { historySizes, ...parameters } = options.parameters
  const results: Results = {
    startedAt: new Date(startedAt).toISOString(),
    durationSeconds: Math.round((Date.now() - startedAt) / 1000),
    isTiny: options.isTiny,
    machine: describeMachine(findings.versions),
    loadGenerator: loadGenerator.name,
    parameters: { ...parameters, historySizeMax: Math.max(...historySizes) },
    measurements: findings.measurements,
    targets: judgeTargets(findings.measurements, historySizes, parameters.memoryInvoices),
    skipped: findings.skipped,
  }
  writeReport(results, options.out)
  say(terminalTable(results))
  return failed === 0 ? 0 : 1
}
