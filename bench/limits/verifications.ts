import { availableParallelism } from 'node:os'
import { askChild } from '../child.js'

/** Measures libsecp256k1 on several threads of one child process, in verifications per second. */
export async function verificationsPerSecond(threads: number, seconds: number): Promise<number> {
  const { perSecond } = await askChild<{ readonly perSecond: number }>('./limits/verify-child.js', { threads, seconds })
  return perSecond
}

const LOOK_SECONDS = 0.5
/** A creation costs the main thread a little more than a verification by the library. */
const MARGIN = 1.5

/** More signed creations than any contestant handles in a second. */
export async function creationsPerSecondMax(): Promise<number> {
  return MARGIN * (await verificationsPerSecond(Math.max(1, availableParallelism() - 1), LOOK_SECONDS))
}
