import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'

/** Asks for two facts at once: an engine that answers later is asked both before it has answered one. */
export function* askBoth<A, B>(first: Awaitable<A>, second: Awaitable<B>): Asking<readonly [A, B]> {
  // Also where the first one fails, nothing that the second one fails with goes unheard.
  if (first instanceof Promise || second instanceof Promise) return yield* ask(Promise.all([first, second]))
  return [first, second]
}
