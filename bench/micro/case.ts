import { Bench } from 'tinybench'
import { type Measurement, median } from '../results.js'

/** A benchmark case. */
export interface Case {
  /** Its name and group in the results. Its unit is `µs`, per operation, or `per second`. */
  readonly measurement: Omit<Measurement, 'samples'> & { readonly unit: 'µs' | 'per second' }
  /** Runs `perTask` operations. */
  readonly task: () => unknown
  readonly perTask: number
}

export interface Effort {
  /** Duration of one repetition of one case. */
  readonly timeMs: number
  readonly repetitions: number
  /** Minimum number of tasks of a repetition. */
  readonly tasksMin: number
}

/** Duration of the warm-up relative to a repetition. */
const WARM_UP = 1 / 5

/** Runs every case once in each repetition, so that a disturbance of the machine affects all cases alike. */
export async function measure(cases: readonly Case[], effort: Effort): Promise<readonly Measurement[]> {
  const samples = cases.map((): number[] => [])
  // The first repetition is dropped: it warms up the compiler with every case.
  for (let repetition = -1; repetition < effort.repetitions; repetition += 1) {
    for (const [i, one] of cases.entries()) {
      const figure = await figureOf(one, effort)
      if (repetition >= 0) samples[i]?.push(figure)
    }
  }
  return cases.map(({ measurement }, i) => ({ ...measurement, samples: samples[i] ?? [] }))
}

/** Computes the figure from the median of one repetition's tasks. */
async function figureOf({ measurement, task, perTask }: Case, { timeMs, tasksMin }: Effort): Promise<number> {
  const bench = new Bench({
    time: timeMs,
    iterations: tasksMin,
    warmupTime: timeMs * WARM_UP,
    warmupIterations: 1,
    retainSamples: true,
    throws: true,
  })
  bench.add(measurement.name, task)
  await bench.run()
  const result = bench.tasks[0]?.result
  if (result?.state !== 'completed') throw new Error(`${measurement.name}: ${result?.state}`)
  const taskMs = median(result.latency.samples ?? [])
  return measurement.unit === 'µs' ? (taskMs * 1000) / perTask : (perTask * 1000) / taskMs
}
