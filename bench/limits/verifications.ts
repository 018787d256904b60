import { availableParallelism } from 'node:os'
import { askChild } from '../child.js'

/** libsecp256k1 on as many threads at once, in a process of their own: verifications per second together. */
export async function verificationsPerSecond(threads: number, seconds: number): Promise<number> {
  const { perSecond } = await askChild<{ readonly perSecond: number }>('./limits/verify-child.js', { threads, seconds })
  return perSecond
}

const LOOK_SECONDS = 0.5
/** A creation takes more of the main thread than a verification by the library, but not much more. */
const MARGIN = 1.5

/** More signed creations than any contestant makes in a second. */
export async function creationsPerSecondMax(): Promise<number> {
  return MARGIN * (await verificationsPerSecond(Math.max(1, availableParallelism() - 1), LOOK_SECONDS))
}
