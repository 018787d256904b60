import { temporaryDirectory } from '../test/support/temporary-directory.js'
import { type Bench, Findings } from './bench.js'
import { chooseLoadGenerator } from './load/choose-load-generator.js'
import { describeMachine } from './machine.js'
import { type Options, PARTS, type Parameters, type Part, readOptions, USAGE } from './parameters.js'
import { backup } from './parts/backup.js'
import { disk } from './parts/disk.js'
import { history } from './parts/history.js'
import { latency } from './parts/latency.js'
import { micro } from './parts/micro.js'
import { postgres } from './parts/postgres.js'
import { processCosts } from './parts/process.js'
import { reads } from './parts/reads.js'
import { sizing } from './parts/sizing.js'
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
  postgres,
  latency,
  reads,
  history,
  webhooks,
  process: processCosts,
  backup,
  sizing,
  disk,
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
      const begunAt = performance.now()
      try {
        await RUNS[part]({ parameters: options.parameters, loadGenerator, directory, findings }, options)
      } catch (error) {
        failed += 1
        process.stderr.write(`${part}: ${error instanceof Error ? error.stack : error}\n`)
        findings.skip(part, error)
      }
      say(`  ${part} took ${Math.round((performance.now() - begunAt) / 1000)} s`)
    }
  } finally {
    remove()
  }
  const run = {
    startedAt: new Date(startedAt).toISOString(),
    durationSeconds: Math.round((Date.now() - startedAt) / 1000),
    isTiny: options.isTiny,
    machine: describeMachine(findings.versions),
    loadGenerator: loadGenerator.name,
    parameters: numbersOf(options.parameters),
    measurements: findings.measurements,
    skipped: findings.skipped,
  }
  const results: Results = { ...run, targets: judgeTargets(run) }
  writeReport(results, options.out)
  say(terminalTable(results))
  return failed === 0 ? 0 : 1
}

/** The parameters as a report lists them: of the sizes of history the ends. */
function numbersOf({ historySizes, sizingRates: _, ...parameters }: Parameters): Results['parameters'] {
  return { ...parameters, historySizeMin: Math.min(...historySizes), historySizeMax: Math.max(...historySizes) }
}
