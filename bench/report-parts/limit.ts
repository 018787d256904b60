import { COMMITS, ECHO, VERIFY_WITH_TABLES } from '../names.js'
import type { Measurement } from '../results.js'
import { spreadOf } from './spread.js'

/** What no contestant can pass on this machine. */
export interface Limit {
  readonly name: string
  /** In the unit of what it limits. */
  readonly value: number
}

/** Every signed, durable creation is received and answered, verified, and committed. */
const STEPS_OF_A_CREATION = [ECHO, VERIFY_WITH_TABLES, COMMITS]

/** The slowest step of a creation when the machine does nothing else. Null unless all steps were measured. */
export function creationLimit(measurements: readonly Measurement[]): Limit | null {
  const steps = STEPS_OF_A_CREATION.map((name) => best(measurements, name))
  const measured = steps.filter((step) => step !== null)
  if (measured.length < steps.length) return null
  return measured.reduce((a, b) => (a.value <= b.value ? a : b))
}

/**
 * The best repetition of a measurement: a limit is what the machine can do, and a repetition that something disturbed
 * shows less.
 */
export function best(measurements: readonly Measurement[], name: string): Limit | null {
  const found = measurements.find((one) => one.name === name)
  const spread = found === undefined ? null : spreadOf(found.samples)
  return spread === null ? null : { name, value: spread.max }
}

/** The names of what was faster than its limit, which shows that the limit was measured at another speed of the machine. */
export function aboveLimit(measured: readonly Measurement[], limit: Limit | null): readonly string[] {
  if (limit === null) return []
  return measured.filter(({ samples }) => (spreadOf(samples)?.max ?? 0) > limit.value).map(({ name }) => name)
}
