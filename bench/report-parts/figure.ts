import type { TargetOutcome, Unit } from '../results.js'

export const NOT_MEASURED = 'not measured'

/** A number for people: thousands grouped, three digits that count below a thousand. */
export function plainNumber(value: number, digits = 3): string {
  const rounding =
    Math.abs(value) >= 1000 && digits <= 4 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: digits }
  return value.toLocaleString('en-GB', rounding)
}

/** A number with its unit: `15,300/s`, `3.42 ms`, `0.78`. */
export function figure(value: number, unit: Unit | TargetOutcome['unit'], digits = 3): string {
  if (!Number.isFinite(value)) return NOT_MEASURED
  const number = plainNumber(value, digits)
  if (unit === 'per second') return `${number}/s`
  return unit === '' ? number : `${number} ${unit}`
}
