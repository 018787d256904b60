import type { Measurement } from '../results.js'
import { figure, NOT_MEASURED, plainNumber } from './figure.js'
import { spreadOf } from './spread.js'

/** A measurement in words; the columns of its table. */
export interface MeasurementWords {
  readonly name: string
  readonly size: string
  readonly median: string
  /** Lowest and highest repetition; empty when there is only one. */
  readonly spread: string
  readonly repetitions: string
  readonly note: string
}

export function measurementWords({ name, unit, samples, x = Number.NaN, note = '' }: Measurement): MeasurementWords {
  const spread = spreadOf(samples)
  return {
    name,
    size: Number.isFinite(x) ? plainNumber(x) : '',
    median: spread === null ? NOT_MEASURED : figure(spread.median, unit),
    spread: spread === null || spread.count === 1 ? '' : `${plainNumber(spread.min)}–${plainNumber(spread.max)}`,
    repetitions: spread === null ? '' : String(spread.count),
    note,
  }
}
