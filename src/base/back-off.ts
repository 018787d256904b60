/** More doublings exceed any cap. */
const DOUBLINGS_MAX = 30

export interface BackOff {
  /** The pause after the first failure. */
  readonly firstMs: number
  readonly maxMs: number
  /** From 0 to below 1, for jitter. Without it the pause is always the full one. */
  readonly random?: () => number
}

/**
 * The pause after a number of failures in a row, in whole milliseconds. It doubles with each failure up to a cap. Jitter
 * takes between half of it and all of it, so that many clients do not retry at the same moment.
 */
export function backOffMs(failures: number, { firstMs, maxMs, random = () => 1 }: BackOff): number {
  const longestMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX))
  return Math.ceil(longestMs * (0.5 + random() / 2))
}
