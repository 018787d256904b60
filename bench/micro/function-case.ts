import type { Measurement } from '../results.js'
import type { Case } from './case.js'

/** A task takes so long at the least, or reading the clock would be a part of what is measured. */
const TASK_MS_MIN = 0.05

/** A function with inputs that it is called with in turn. */
export interface TimedFunction<Input, Result> {
  readonly name: string
  readonly inputs: readonly Input[]
  readonly run: (input: Input) => Result
  /** Whether the result is the right one. */
  readonly isRight: (result: Result, input: Input) => boolean
  readonly note?: string
  /** Where the figure belongs when it is not just a function's. */
  readonly place?: Pick<Measurement, 'group' | 'x'>
}

/** The latest results: whatever a function answers is kept for a while, so no call can be left out. */
const kept: unknown[] = new Array(16).fill(null)

/** Throws unless the function is right about each of its inputs. */
export function functionCase<Input, Result>(timed: TimedFunction<Input, Result>): Case {
  const { name, inputs, run, isRight, note, place } = timed
  for (const input of inputs) if (!isRight(run(input), input)) throw new Error(`${name}: a wrong answer`)
  let at = 0
  const repeat = (times: number) => {
    for (let n = 0; n < times; n += 1) {
      at = at + 1 < inputs.length ? at + 1 : 0
      // The inputs are never empty, and `at` is within them.
      kept[n % kept.length] = run(inputs[at] as Input)
    }
  }
  const perTask = timesFor(repeat)
  return {
    measurement: { group: 'micro', name, unit: 'µs', ...place, ...(note === undefined ? {} : { note }) },
    task: () => repeat(perTask),
    perTask,
  }
}

/** What timing a function adds to its figure. */
export function emptyCase(): Case {
  return functionCase({
    name: 'a call that does nothing',
    inputs: [0, 1],
    run: (input) => input,
    isRight: (result, input) => result === input,
    note: 'contained in the figure of every single function',
  })
}

/** The first power of two that keeps `repeat` busy for long enough. */
function timesFor(repeat: (times: number) => void): number {
  for (let times = 1; ; times *= 2) {
    repeat(times)
    const startedAt = performance.now()
    repeat(times)
    if (performance.now() - startedAt >= TASK_MS_MIN) return times
  }
}
