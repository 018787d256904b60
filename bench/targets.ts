import {
  BESIDE_BACKUPS,
  BILLHOOK,
  CONSTANT,
  CREATION_UNDER_LOAD,
  DELIVERIES,
  HOT_WALLET,
  IDLE_MEMORY,
  MEMORY_AFTER,
  ON_FILES,
  ON_POSTGRES,
  ON_POSTGRES_HOT,
  ON_POSTGRES_REPLICA,
  ORDINARY,
  OWN_MEMORY_IDLE,
  PAID_STATUS,
  POSTGRES_CLAIMS,
  POSTGRES_PAID_STATUS,
  READ,
  START,
  STORED_FUNCTION,
  VERIFY_ONE_THREAD,
  WEBHOOK_P50,
  WEBHOOK_P99,
  WITHOUT_BACKUPS,
} from './names.js'
import { plainNumber } from './report-parts/figure.js'
import { type Group, type Measurement, median, type Results, type TargetOutcome } from './results.js'

/** Groups of the micro-benchmarks, which may use the same names. */
const SINGLE_FUNCTIONS: ReadonlySet<Group> = new Set(['micro', 'batch'])

type Measured = Pick<TargetOutcome, 'value' | 'from'>

/** Medians of the end-to-end measurements by name, and by size where there are several. */
class Medians {
  constructor(private readonly measurements: readonly Measurement[]) {}

  /** The median, or NaN when there is none. */
  of(name: string, x?: number): number {
    const found = this.measurements.find((measurement) => measurement.name === name && measurement.x === x)
    return found === undefined ? Number.NaN : median(found.samples)
  }

  ratio(above: string, below: string): Measured {
    return { value: this.of(above) / this.of(below), from: `${above} ÷ ${below}, medians` }
  }

  /** The ratio of the medians of two sizes. */
  growth(name: string, from: number, to: number): Measured {
    return { value: this.of(name, to) / this.of(name, from), from: `${name} with ${to} ÷ with ${from}, medians` }
  }

  figure(name: string, scale = 1): Measured {
    return { value: this.of(name) * scale, from: `${name}, median` }
  }
}

/** Judges the targets of the project. The sizes are those of the run's parameters: a tiny run has smaller ones. */
export function judgeTargets({ measurements, parameters }: Pick<Results, 'measurements' | 'parameters'>) {
  const endToEnd = measurements.filter(({ group }) => !SINGLE_FUNCTIONS.has(group))
  // What is compared was measured in the same rounds.
  const onPostgres = new Medians(endToEnd.filter(({ group }) => group === 'postgres'))
  const medians = new Medians(endToEnd.filter(({ group }) => group !== 'postgres'))
  const { historySizeMin: few = 0, historySizeMax: many = 0, memoryInvoices = 0 } = parameters
  const memoryGrowth = medians.of(MEMORY_AFTER, memoryInvoices) - medians.of(OWN_MEMORY_IDLE)
  return [
    atLeast(
      'signed, durable creations ÷ verifications on one thread',
      0.75,
      0.6,
      '',
      medians.ratio(BILLHOOK, VERIFY_ONE_THREAD),
    ),
    atLeast('signed, durable creations ÷ the ordinary stack', 20, 10, '', medians.ratio(BILLHOOK, ORDINARY)),
    atLeast('one hot wallet ÷ many wallets', 0.9, 0.8, '', medians.ratio(HOT_WALLET, BILLHOOK)),
    atMost('p99 latency of signed creations at half of the peak rate', 10, 20, 'ms', medians.figure('p99')),
    atLeast(
      'reads of an invoice with payment ÷ the same bytes from a constant',
      0.6,
      0.4,
      '',
      medians.ratio(READ, CONSTANT),
    ),
    atMost(
      `paid status with ${grouped(many)} deposits ÷ with ${grouped(few)}`,
      1.5,
      2,
      '',
      medians.growth(PAID_STATUS, few, many),
    ),
    atMost(
      `creation with ${grouped(many)} earlier invoices on the wallet ÷ with none`,
      1.3,
      1.6,
      '',
      medians.growth(CREATION_UNDER_LOAD, 0, many),
    ),
    atMost('accepted deposit to webhook, p50', 5, 10, 'ms', medians.figure(WEBHOOK_P50)),
    atMost('accepted deposit to webhook, p99', 20, 50, 'ms', medians.figure(WEBHOOK_P99)),
    atLeast('webhook deliveries sustained', 5000, 2500, 'per second', medians.figure(DELIVERIES)),
    atMost('start to first answer', 0.3, 0.5, 's', medians.figure(START, 1 / 1000)),
    atMost('resident memory, idle', 120, 150, 'MiB', medians.figure(IDLE_MEMORY)),
    atMost(`growth of its own memory after ${grouped(memoryInvoices)} invoices`, 100, 200, 'MiB', {
      value: memoryGrowth,
      from: `${MEMORY_AFTER} − ${OWN_MEMORY_IDLE}`,
    }),
    atLeast('creations beside backups ÷ without', 0.8, 0.8, '', medians.ratio(BESIDE_BACKUPS, WITHOUT_BACKUPS)),
    atLeast('creations on PostgreSQL ÷ the ordinary stack', 5, 4, '', onPostgres.ratio(ON_POSTGRES, ORDINARY)),
    atLeast(
      'creations on PostgreSQL ÷ the ordinary stack with one stored function',
      3.5,
      3,
      '',
      onPostgres.ratio(ON_POSTGRES, STORED_FUNCTION),
    ),
    atLeast('creations on PostgreSQL ÷ on its own files', 0.45, 0.4, '', onPostgres.ratio(ON_POSTGRES, ON_FILES)),
    atLeast('one hot wallet ÷ many, on PostgreSQL', 0.8, 0.7, '', onPostgres.ratio(ON_POSTGRES_HOT, ON_POSTGRES)),
    atLeast(
      'creations on PostgreSQL with a synchronous replica ÷ without',
      0.7,
      0.6,
      '',
      onPostgres.ratio(ON_POSTGRES_REPLICA, ON_POSTGRES),
    ),
    atMost(
      `paid status on PostgreSQL with ${grouped(many)} deposits ÷ with ${grouped(few)}`,
      1.5,
      2,
      '',
      onPostgres.growth(POSTGRES_PAID_STATUS, few, many),
    ),
    atLeast('webhooks claimed and settled on PostgreSQL', 5000, 4000, 'per second', onPostgres.figure(POSTGRES_CLAIMS)),
  ]
}

/** A count for people. */
function grouped(count: number): string {
  return plainNumber(count, 7)
}

type Bounds = Pick<TargetOutcome, 'what' | 'target' | 'floor' | 'unit'>

function atLeast(what: string, target: number, floor: number, unit: Bounds['unit'], measured: Measured): TargetOutcome {
  return outcome({ what, target, floor, unit }, measured, 'at least')
}

function atMost(what: string, target: number, floor: number, unit: Bounds['unit'], measured: Measured): TargetOutcome {
  return outcome({ what, target, floor, unit }, measured, 'at most')
}

function outcome(bounds: Bounds, measured: Measured, sense: TargetOutcome['sense']): TargetOutcome {
  const { value } = measured
  const reaches = (bound: number) => (sense === 'at least' ? value >= bound : value <= bound)
  const verdict = reaches(bounds.target) ? 'met' : reaches(bounds.floor) ? 'floor holds' : 'missed'
  return { ...bounds, ...measured, sense, verdict: Number.isNaN(value) ? 'not measured' : verdict }
}
