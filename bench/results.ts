/** The results of a run, as `bench/report/results.json` holds them and the report shows them. */

/** The machine and the versions of a run. */
export interface Machine {
  /** The processor's name. */
  readonly cpu: string
  readonly cores: number
  readonly memoryMiB: number
  /** Kernel and distribution. */
  readonly os: string
  readonly node: string
  /** Versions of what is measured: packages, PostgreSQL, wrk. */
  readonly versions: Readonly<Record<string, string>>
  /** The commit that was measured, with `+` when files were changed; null when that is not known. */
  readonly commit: string | null
}

export type Unit = 'per second' | 'ms' | 'µs' | 'MiB' | 'KiB' | 'bytes'

/** The groups of measurements; each is a part of the report. */
export type Group =
  /** Signed, durable creations per second: a contestant each, the ordinary stack among them. */
  | 'throughput'
  /** The same on PostgreSQL, and what belongs to it. */
  | 'postgres'
  /** Limits of the machine, per second: echo, verifications, commits. */
  | 'limits'
  /** Latency of signed creations at half of the peak rate: a percentile each (`p50`, `p90`, `p99`, `p99.9`), in ms. */
  | 'latency'
  /** Reads per second: an invoice with its payment, and the same bytes from a constant. */
  | 'reads'
  /** Cost against history size: `x` is the number of earlier deposits or invoices, in µs. */
  | 'history'
  /** Throughput against batch size: `x` is the batch size, per second. */
  | 'batch'
  /** Webhooks: from an accepted deposit to the receiver in ms, and deliveries per second. */
  | 'webhooks'
  /** From the start of the process to the first answer in ms, and resident memory in MiB. */
  | 'process'
  /** Creations per second without and beside backups, the time of a backup in ms, and the database file in MiB. */
  | 'backup'
  /** What a rate of invoices takes: `x` is invoices per second. */
  | 'sizing'
  /** Bytes on disk for each record. */
  | 'disk'
  /** Single functions, in µs each. */
  | 'micro'

/** One measurement, repeated where possible. */
export interface Measurement {
  readonly group: Group
  /** Its name in the report: `Billhook`, `Billhook, noble`, `ordinary stack`, … */
  readonly name: string
  readonly unit: Unit
  /** One figure for each repetition, in the order in which they were made. */
  readonly samples: readonly number[]
  /** The size that the cost depends on, where the group has one. */
  readonly x?: number
  /** How it was measured, when the name does not say it. */
  readonly note?: string
}

/** A ratio or a figure that has a target. */
export interface TargetOutcome {
  readonly what: string
  readonly value: number
  /** `at least` for throughput, `at most` for latency, memory and cost. */
  readonly sense: 'at least' | 'at most'
  readonly target: number
  readonly floor: number
  readonly unit: '' | 'ms' | 's' | 'MiB' | 'per second'
  /** `not measured` when a contestant could not run here; `value` is then NaN and written as null. */
  readonly verdict: 'met' | 'floor holds' | 'missed' | 'not measured'
  /** The measurements that it was computed from, in words. */
  readonly from: string
}

export interface Results {
  /** ISO 8601. */
  readonly startedAt: string
  readonly durationSeconds: number
  /** Tiny runs show only that everything works; their figures mean nothing. */
  readonly isTiny: boolean
  readonly machine: Machine
  /** The load generator that was used. */
  readonly loadGenerator: 'wrk' | 'autocannon'
  /** Seconds, connections, wallets, repetitions, … */
  readonly parameters: Readonly<Record<string, number>>
  readonly measurements: readonly Measurement[]
  readonly targets: readonly TargetOutcome[]
  /** What could not be measured here, and why. */
  readonly skipped: readonly string[]
}

/** The middle sample; the mean of the two in the middle when there is no one. NaN without samples. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = sorted.length / 2
  if (sorted.length === 0) return Number.NaN
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)] ?? Number.NaN
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}
