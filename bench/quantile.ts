/** The value below which `part` of the sorted values are; NaN without values. */
export function quantile(sorted: ArrayLike<number>, part: number): number {
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN
}
