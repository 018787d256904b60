import { availableParallelism } from 'node:os'
import { askChild } from '../child.js'

/** What the verifying child does. */
export interface VerifyTask {
  readonly threads: number
  readonly seconds: number
  /** Keys that sign in turn. */
  readonly keys: number
  /** Whether each thread has a table of multiples for every key. */
  readonly hasTables: boolean
}

/** Measures libsecp256k1, with or without key tables, in a child process, in verifications per second. */
export async function verificationsPerSecond(task: VerifyTask): Promise<number> {
  const { perSecond } = await askChild<{ readonly perSecond: number }>('./limits/verify-child.js', task)
  return perSecond
}

/** The threads that a service verifies on by default. */
export function defaultThreads(): number {
  return Math.max(1, availableParallelism() - 1)
}

const LOOK_SECONDS = 0.5
/**
 * A creation costs the main thread a little more than a verification by the library, or less where one wallet has all of them. The look
 * may have come at a slow moment of the machine.
 */
const MARGIN = 2.5

let looked: Promise<number> | undefined

/** More signed creations than any contestant handles in a second. A run looks once. */
export async function creationsPerSecondMax(): Promise<number> {
  looked ??= verificationsPerSecond({ threads: defaultThreads(), seconds: LOOK_SECONDS, keys: 1, hasTables: false })
  return MARGIN * (await looked)
}
