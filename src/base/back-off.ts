/** More doublings lead beyond any cap. */
const DOUBLINGS_MAX = 30

export interface BackOff {
  /** The pause after the first failure. */
  readonly firstMs: number
  readonly maxMs: number
  /** From 0 to below 1, for jitter; without it there is none. */
  readonly random?: () => number
}

/**
 * The pause after so many failures in a row, in whole milliseconds: doubled with each failure, capped, and with jitter
 * between half of that and all of it, so that many clients do not return in step.
 */
export function backOffMs(failures: number, { firstMs, maxMs, random = () => 1 }: BackOff): number {
  const longestMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX))
  return Math.ceil(longestMs * (0.5 + random() / 2))
}
