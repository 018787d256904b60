import type { Awaitable } from '../reading.js'
import type { Asking } from './asking.js'

/** What an engine does while rules run in lockstep. */
export interface Lockstep {
  /** Called before a rule goes on. */
  turn(index: number): void
  /** Called when all rules wait: sends what they have asked since the last call, each kind of question once. */
  send(): void
}

/**
 * Runs rules together on an engine that answers later: each goes on, in order, until it waits for an answer, and then what all of
 * them wait for is asked at once. So they cost as many round trips as the longest of them, and not as many as all together.
 */
export async function answeredTogether<T>(rules: readonly Asking<T>[], lockstep: Lockstep): Promise<readonly T[]> {
  const results: T[] = []
  let waiting = rules.map((rule, index): Waiting<T> => ({ rule, index, answer: undefined }))
  while (waiting.length > 0) {
    const next: Waiting<T>[] = []
    for (const one of waiting) {
      lockstep.turn(one.index)
      const step = goOn(one)
      if (step.done === true) results[one.index] = step.value
      else next.push({ ...one, answer: step.value })
    }
    if (next.length > 0) lockstep.send()
    waiting = await Promise.all(next.map(async (one) => ({ ...one, answer: await one.answer })))
  }
  return results
}

interface Waiting<T> {
  readonly rule: Asking<T>
  readonly index: number
  /** What it goes on with, or waits for. */
  readonly answer: Awaitable<unknown>
}

/** Lets a rule go on until it has to wait. */
function goOn<T>({ rule, answer }: Waiting<T>): IteratorResult<Awaitable<unknown>, T> {
  let step = rule.next(answer)
  while (step.done !== true && !(step.value instanceof Promise)) step = rule.next(step.value)
  return step
}
