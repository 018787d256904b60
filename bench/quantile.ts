/** Returns the quantile `part` (0 to 1) of sorted values; NaN without values. */
export function quantile(sorted: ArrayLike<number>, part: number): number {
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN
}
