import type { LoadGenerator } from './load/load.js'
import type { Parameters } from './parameters.js'
import type { Measurement } from './results.js'

/** The context of every part: its parameters, and where it adds its findings. */
export interface Bench {
  readonly parameters: Parameters
  readonly loadGenerator: LoadGenerator
  /** Temporary directory of the run; each part makes its own in it. */
  readonly directory: string
  readonly findings: Findings
}

/** Runs a load for the time of warming up, if there is any. */
export async function warmUp({ parameters }: Bench, load: (seconds: number) => Promise<unknown>): Promise<void> {
  if (parameters.warmUpSeconds > 0) await load(parameters.warmUpSeconds)
}

/** The measurements so far. */
export class Findings {
  private readonly found: Measurement[] = []
  readonly skipped: string[] = []
  /** Versions of measured software that is not one of our packages. */
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

  /** Records that something could not be measured here. The run continues. */
  skip(what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.skipped.push(`${what}: ${reason}`)
  }
}
