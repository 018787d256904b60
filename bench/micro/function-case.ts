import type { Case } from './case.js'

/** Minimum duration of a task; in a shorter one the clock would dominate. */
const TASK_MS_MIN = 0.05

/** A function, and the inputs it is called with in turn. */
export interface TimedFunction<Input, Result> {
  readonly name: string
  readonly inputs: readonly Input[]
  readonly run: (input: Input) => Result
  /** Whether the result is the right one. */
  readonly isRight: (result: Result, input: Input) => boolean
  readonly note?: string
}

/** The latest results. They are kept so that the compiler cannot drop a call. */
const kept: unknown[] = new Array(16).fill(null)

/** Throws unless the function returns the right result for each input. */
export function functionCase<Input, Result>(timed: TimedFunction<Input, Result>): Case {
  const { name, inputs, run, isRight, note } = timed
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
    measurement: { group: 'micro', name, unit: 'µs', ...(note === undefined ? {} : { note }) },
    task: () => repeat(perTask),
    perTask,
  }
}

/** The overhead of timing itself. */
export function emptyCase(): Case {
  return functionCase({
    name: 'a call that does nothing',
    inputs: [0, 1],
    run: (input) => input,
    isRight: (result, input) => result === input,
    note: 'contained in the figure of every single function',
  })
}

/** Returns the first power of two of repetitions that takes long enough. */
function timesFor(repeat: (times: number) => void): number {
  for (let times = 1; ; times *= 2) {
    repeat(times)
    const startedAt = performance.now()
    repeat(times)
    if (performance.now() - startedAt >= TASK_MS_MIN) return times
  }
}
