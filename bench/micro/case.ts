import { Bench } from 'tinybench'
import { type Measurement, median } from '../results.js'

/** Something that is timed. */
export interface Case {
  /** What it is called in the results; its unit is `µs`, for each, or `per second`. */
  readonly measurement: Omit<Measurement, 'samples'> & { readonly unit: 'µs' | 'per second' }
  /** Does what is timed so many times. */
  readonly task: () => unknown
  readonly perTask: number
}

export interface Effort {
  /** Milliseconds of one repetition of one case. */
  readonly timeMs: number
  readonly repetitions: number
  /** Tasks of a repetition at the least, whatever the time. */
  readonly tasksMin: number
}

/** Part of a repetition that is spent before it, without being looked at. */
const WARM_UP = 1 / 5

/** Every case once in each repetition, so that what disturbs the machine for a while disturbs no case alone. */
export async function measure(cases: readonly Case[], effort: Effort): Promise<readonly Measurement[]> {
  const samples = cases.map((): number[] => [])
  // The first time is for the compiler: only then it has seen all that will be called.
  for (let repetition = -1; repetition < effort.repetitions; repetition += 1) {
    for (const [i, one] of cases.entries()) {
      const figure = await figureOf(one, effort)
      if (repetition >= 0) samples[i]?.push(figure)
    }
  }
  return cases.map(({ measurement }, i) => ({ ...measurement, samples: samples[i] ?? [] }))
}

/** From the median of one repetition's tasks. */
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
