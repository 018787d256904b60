import type { Bench } from '../bench.js'
import { microBenchmarks } from '../micro.js'
import type { Options } from '../parameters.js'

/** Measures single functions, in this process. */
export async function micro({ findings }: Bench, { isTiny }: Options): Promise<void> {
  const { measurements, skipped } = await microBenchmarks({ isTiny })
  for (const measurement of measurements) findings.add(measurement)
  findings.skipped.push(...skipped)
}
