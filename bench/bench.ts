import type { LoadGenerator } from './load/load.js'
import type { Parameters } from './parameters.js'
import type { Measurement } from './results.js'

/** What every part is given, and where it puts what it found. */
export interface Bench {
  readonly parameters: Parameters
  readonly loadGenerator: LoadGenerator
  /** For files of the run, removed after it; each part makes its own in it. */
  readonly directory: string
  readonly findings: Findings
}

/** What has been measured so far. */
export class Findings {
  private readonly found: Measurement[] = []
  readonly skipped: string[] = []
  /** Versions of what was measured and is no package of ours. */
  readonly versions: Record<string, string> = {}

  get measurements(): readonly Measurement[] {
    return this.found
  }

  add(measurement: Measurement): void {
    if (measurement.samples.length === 0 || !measurement.samples.every(Number.isFinite)) {
      throw new Error(`${measurement.name}: ${measurement.samples.join(', ') || 'nothing'} was measured`)
    }
    this.found.push(measurement)
  }

  /** Says that something could not be measured here; the run goes on. */
  skip(what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.skipped.push(`${what}: ${reason}`)
  }
}
