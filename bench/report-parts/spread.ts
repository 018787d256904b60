import { median } from '../results.js'

/** A summary of the repetitions of one measurement, in its unit. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  /** How many repetitions gave a figure. */
  readonly count: number
}

/** Null when no repetition gave a figure. */
export function spreadOf(samples: readonly number[]): Spread | null {
  const finite = samples.filter(Number.isFinite)
  if (finite.length === 0) return null
  return { median: median(finite), min: Math.min(...finite), max: Math.max(...finite), count: finite.length }
}
