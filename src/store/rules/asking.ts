import type { Settled } from '../commands.js'
import type { Awaitable } from '../reading.js'

/**
 * A rule: it asks for facts as it goes, and orders effects. It is written once, for an engine that answers at once and for one that
 * answers later.
 */
export type Asking<T> = Generator<Awaitable<unknown>, T, unknown>

/** How an engine runs rules in order, each as if in a transaction of its own: one that fails is rejected alone, and leaves no trace. */
export type RunEach<Tx> = <T>(rules: readonly ((tx: Tx) => Asking<T>)[]) => Promise<readonly Settled<T>[]>

/** Asks for one fact: `const known = yield* ask(work.deposit(id))`. */
export function* ask<T>(fact: Awaitable<T>): Asking<T> {
  return (yield fact) as T
}

/** Runs a rule on an engine that answers at once. */
export function answeredNow<T>(rule: Asking<T>): T {
  let step = rule.next()
  while (step.done !== true) step = rule.next(step.value)
  return step.value
}

/** Runs a rule on an engine that answers later. What an answer fails with is thrown where it was asked. */
export async function answeredLater<T>(rule: Asking<T>): Promise<T> {
  let step = rule.next()
  while (step.done !== true) {
    let answer: unknown
    try {
      answer = await step.value
    } catch (error) {
      step = rule.throw(error)
      continue
    }
    step = rule.next(answer)
  }
  return step.value
}
