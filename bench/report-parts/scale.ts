/** From values to places along an axis, in pixels. */
export interface Scale {
  at(value: number): number
  readonly ticks: readonly number[]
}

const LINEAR_TICKS = 5

/** From zero to a round number not below `highest`. */
export function linearScale(highest: number, fromPx: number, toPx: number): Scale {
  const step = roundStep(highest > 0 ? highest / LINEAR_TICKS : 1)
  const count = Math.max(1, Math.ceil(highest / step))
  const ticks = Array.from({ length: count + 1 }, (_, n) => Number((n * step).toPrecision(12)))
  const end = ticks[count] ?? step
  return { ticks, at: (value) => fromPx + (value / end) * (toPx - fromPx) }
}

/** The next of 1, 2, 2.5, 5, 10, 20, 25, 50, … that is not below `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 2.5, 5].find((factor) => factor * power >= least) ?? 10) * power
}

/** Logarithmic over `values`, ticks at powers of `base`. Zero has no logarithm: it gets a place one power before the others. */
export function logScale(values: readonly number[], base: number, fromPx: number, toPx: number): Scale {
  const exponentOf = (value: number) => Math.log2(value) / Math.log2(base)
  const exponents = values.filter((value) => value > 0).map(exponentOf)
  if (exponents.length === 0) exponents.push(0)
  const hasZero = values.some((value) => value <= 0)
  const first = Math.floor(Math.min(...exponents))
  const start = hasZero ? first - 1 : first
  const end = Math.max(Math.ceil(Math.max(...exponents)), start + 1)
  const powers = Array.from({ length: end - first + 1 }, (_, n) => base ** (first + n))
  const exponentAt = (value: number) => (value > 0 ? exponentOf(value) : start)
  return {
    ticks: hasZero ? [0, ...powers] : powers,
    at: (value) => fromPx + ((exponentAt(value) - start) / (end - start)) * (toPx - fromPx),
  }
}
