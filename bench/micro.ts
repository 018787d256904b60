import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { temporaryDirectory } from '../test/support/temporary-directory.js'
import { actorCases } from './micro/actor-cases.js'
import { type Case, type Effort, measure } from './micro/case.js'
import { commitBatches } from './micro/commit-batches.js'
import { cryptoCases, verificationCase } from './micro/crypto-cases.js'
import { domainCases } from './micro/domain-cases.js'
import { emptyCase } from './micro/function-case.js'
import { metricsCases } from './micro/metrics-cases.js'
import { recordCases } from './micro/record-cases.js'
import { verificationBatches } from './micro/verification-batches.js'
import { type Measurement, median } from './results.js'
import { say } from './service-process.js'

/*
 * Measures the small parts of a request one by one, and costs that depend on the size of a batch.
 *
 *     node dist/bench/micro.js [--tiny]
 */

interface Extent {
  /** Effort for single functions. */
  readonly functions: Effort
  /** Effort for batches, whose tasks take longer. */
  readonly batches: Effort
  /** Signatures submitted to the pool at once. */
  readonly signatures: number
}

const FULL: Extent = {
  functions: { timeMs: 100, repetitions: 5, tasksMin: 10 },
  batches: { timeMs: 200, repetitions: 5, tasksMin: 3 },
  signatures: 1024,
}

const TINY: Extent = {
  functions: { timeMs: 2, repetitions: 5, tasksMin: 1 },
  batches: { timeMs: 2, repetitions: 5, tasksMin: 1 },
  signatures: 128,
}

export interface MicroResults {
  readonly measurements: readonly Measurement[]
  /** What could not be measured here, and why. */
  readonly skipped: readonly string[]
}

/** Runs everything in this process, apart from the threads of the verify pool. */
export async function microBenchmarks({ isTiny }: { readonly isTiny: boolean }): Promise<MicroResults> {
  const extent = isTiny ? TINY : FULL
  const { path: directory, remove } = temporaryDirectory()
  try {
    const engines = await engineCases()
    const cases = [
      emptyCase(),
      ...engines.cases,
      ...cryptoCases(),
      ...domainCases(),
      ...recordCases(),
      ...(await actorCases()),
      ...(await metricsCases()),
    ]
    const measurements = [
      ...(await measure(cases, extent.functions)),
      ...(engines.hasLibsecp256k1 ? await verificationBatches(extent.batches, extent.signatures) : []),
      ...(await commitBatches(extent.batches, directory)),
    ]
    return { measurements, skipped: engines.skipped }
  } finally {
    remove()
  }
}

/** libsecp256k1 has no binary for some machines. */
async function engineCases(): Promise<{ cases: readonly Case[]; hasLibsecp256k1: boolean; skipped: string[] }> {
  const noble = await verificationCase('noble')
  try {
    return { cases: [await verificationCase('libsecp256k1'), noble], hasLibsecp256k1: true, skipped: [] }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { cases: [noble], hasLibsecp256k1: false, skipped: [`verification by libsecp256k1: ${reason}`] }
  }
}

function tableLine({ group, name, x, unit, samples }: Measurement): string {
  const figure = (value: number) => value.toFixed(unit === 'µs' ? 3 : 0)
  const what = x === undefined ? name : `${name}, ${x}`
  const spread = `${figure(Math.min(...samples))} – ${figure(Math.max(...samples))}`
  return `${group.padEnd(8)} ${what.padEnd(54)} ${figure(median(samples)).padStart(10)} ${unit.padEnd(10)}  ${spread}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { tiny: { type: 'boolean', default: false } } })
  const { measurements, skipped } = await microBenchmarks({ isTiny: values.tiny })
  for (const measurement of measurements) say(tableLine(measurement))
  for (const what of skipped) say(`skipped  ${what}`)
}
