import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'

/** How much faster each step of the search goes back. */
const STEP_GROWTH = 4

/**
 * The last moment before `beforeMs` after which at least `atoms` came; null when there is none. `sumAfter`: what came strictly after a
 * moment, which is never more after a later one. It searches back in growing steps and then halves the last one, so what is near is
 * found with few questions.
 */
export function* lastToReceive(
  sumAfter: (timeMs: number) => Awaitable<bigint>,
  atoms: bigint,
  beforeMs: number,
): Asking<number | null> {
  // Nothing is before the beginning of time.
  if (beforeMs < 1 || (yield* ask(sumAfter(0))) < atoms) return null
  let enough = beforeMs - 1
  let tooLate = beforeMs
  for (let stepMs = 1; (yield* ask(sumAfter(enough))) < atoms; stepMs *= STEP_GROWTH) {
    tooLate = enough
    enough = Math.max(0, enough - stepMs)
  }
  while (tooLate - enough > 1) {
    const middle = Math.floor((enough + tooLate) / 2)
    if ((yield* ask(sumAfter(middle))) < atoms) tooLate = middle
    else enough = middle
  }
  return enough
}
