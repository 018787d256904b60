import {
  BACKUP_TIME,
  BESIDE_BACKUPS,
  BILLHOOK,
  CONNECTION_MEMORY,
  CREATED_AND_PAID,
  CREATED_ONLY,
  type CREATION,
  DELIVERIES,
  type DEPOSIT,
  DISK,
  FILE_AFTER_BACKUPS,
  FILE_BEFORE_BACKUPS,
  IDLE_MEMORY,
  MEMORY_AFTER,
  PAID_AT_FULL_SPEED,
  type SIZING_FIGURES,
  sizingName,
  TLS,
  VERIFY_ONE_THREAD,
  VERIFY_WITH_TABLES,
  WITHOUT_BACKUPS,
} from '../names.js'
import { type Measurement, median, type Results } from '../results.js'

/** The default of BILLHOOK_KEEP_DAYS. */
export const KEPT_DAYS = 400
const SECONDS_PER_DAY = 86_400
const DAYS_PER_YEAR = 365
const US_PER_SECOND = 1_000_000
const MS_PER_SECOND = 1000
const GB = 1e9
/** A service that is asked for more than this share of its peak has no room for a busy minute. */
const LOAD_MAX = 0.5
/** A paid invoice is notified of its pending deposit and of the confirmed one, and the gateway reports each. */
const REPORTS_OF_A_DEPOSIT = 2

/** What a rate of invoices takes, as far as it was measured: NaN for the rest. */
export interface RateFigures {
  readonly p50: number
  readonly p99: number
  /** Share of one core. */
  readonly mainThread: number
  /** Cores. */
  readonly allThreads: number
  /** MiB. */
  readonly memory: number
  /** Bytes for each invoice. */
  readonly network: number
}

/** What one rate takes. Gigabytes and bytes are of 10³. */
export interface RateSizing {
  readonly perSecond: number
  readonly created: RateFigures
  readonly paid: RateFigures
  /** Services that take this rate at half of their peak. */
  readonly services: number
  readonly gbPerDay: number
  readonly gbInAYear: number
  readonly webhooksPerSecond: number
}

/** The figures that size a machine, from the measurements of a run; NaN where they are missing. */
export class SizingFigures {
  constructor(private readonly results: Results) {}

  /** µs of a thread for a verification, by whether the key has a table. */
  get verificationUs(): { readonly withTable: number; readonly withoutTable: number } {
    const withTable = US_PER_SECOND / this.of(VERIFY_WITH_TABLES)
    return { withTable, withoutTable: US_PER_SECOND / this.of(VERIFY_ONE_THREAD) }
  }

  /** µs of the store for something durable, with 256 at once on a wallet with so many records. */
  storeUs(what: typeof CREATION | typeof DEPOSIT, records: number): number {
    return this.of(what, records)
  }

  /** µs of the service for an invoice at the highest rate at which this was measured, and that rate. */
  invoiceUs(what: typeof CREATED_ONLY | typeof CREATED_AND_PAID) {
    const measured = this.rates.filter(({ perSecond }) => Number.isFinite(this.figuresAt(what, perSecond).allThreads))
    const perSecond = measured.at(-1)?.perSecond ?? Number.NaN
    const { mainThread, allThreads } = this.figuresAt(what, perSecond)
    const us = US_PER_SECOND / perSecond
    return { perSecond, mainThread: mainThread * us, allThreads: allThreads * us }
  }

  get createdPerSecond(): number {
    return this.of(BILLHOOK)
  }

  get createdWithTlsPerSecond(): number {
    return this.of(TLS)
  }

  /** What backups that follow one another cost. */
  get backups() {
    return {
      withoutPerSecond: this.of(WITHOUT_BACKUPS),
      besidePerSecond: this.of(BESIDE_BACKUPS),
      seconds: this.of(BACKUP_TIME) / MS_PER_SECOND,
      fileMibBefore: this.of(FILE_BEFORE_BACKUPS),
      fileMibAfter: this.of(FILE_AFTER_BACKUPS),
    }
  }

  /** Creations relative to the verifications of one thread. */
  get shareOfVerifications(): number {
    return this.of(BILLHOOK) / this.of(VERIFY_ONE_THREAD)
  }

  get paidPerSecond(): number {
    return this.of(PAID_AT_FULL_SPEED)
  }

  get webhooksPerSecond(): number {
    return this.of(DELIVERIES)
  }

  get p99AtHalf(): number {
    return this.of('p99')
  }

  get idleMib(): number {
    return this.of(IDLE_MEMORY)
  }

  get ownMibAfter(): number {
    return this.of(MEMORY_AFTER, this.invoicesOfMemory)
  }

  get invoicesOfMemory(): number {
    return this.results.parameters['memoryInvoices'] ?? Number.NaN
  }

  get connectionKib(): number {
    return this.of(CONNECTION_MEMORY)
  }

  /** On disk, by the kind of record. */
  get bytesOf(): Readonly<Record<keyof typeof DISK, number>> {
    const entries = Object.entries(DISK).map(([kind, name]) => [kind, this.of(name)])
    return Object.fromEntries(entries)
  }

  /** Bytes of a paid invoice that are never removed. */
  get bytesForEver(): number {
    return this.bytesOf.invoice + this.bytesOf.deposit
  }

  /** Bytes of its webhooks and events, which are removed at the end of their retention. */
  get bytesForAWhile(): number {
    return REPORTS_OF_A_DEPOSIT * (this.bytesOf.delivery + this.bytesOf.event)
  }

  /** The rates that were measured, ascending. */
  get rates(): readonly RateSizing[] {
    const name = sizingName(CREATED_ONLY, 'p50')
    const found = this.results.measurements.filter((one) => one.name === name)
    return found.map(({ x = Number.NaN }) => this.rate(x)).toSorted((a, b) => a.perSecond - b.perSecond)
  }

  private rate(perSecond: number): RateSizing {
    const gbPerDay = (perSecond * SECONDS_PER_DAY * (this.bytesForEver + this.bytesForAWhile)) / GB
    return {
      perSecond,
      created: this.figuresAt(CREATED_ONLY, perSecond),
      paid: this.figuresAt(CREATED_AND_PAID, perSecond),
      services: Math.ceil(perSecond / (LOAD_MAX * this.paidPerSecond)),
      gbPerDay,
      gbInAYear: gbPerDay * Math.min(DAYS_PER_YEAR, KEPT_DAYS),
      webhooksPerSecond: perSecond * REPORTS_OF_A_DEPOSIT,
    }
  }

  private figuresAt(what: typeof CREATED_ONLY | typeof CREATED_AND_PAID, perSecond: number): RateFigures {
    const of = (figure: keyof typeof SIZING_FIGURES) => this.of(sizingName(what, figure), perSecond)
    const cores = (figure: 'mainThread' | 'allThreads') => (of(figure) * perSecond) / US_PER_SECOND
    return {
      p50: of('p50'),
      p99: of('p99'),
      mainThread: cores('mainThread'),
      allThreads: cores('allThreads'),
      memory: of('memory'),
      network: of('network'),
    }
  }

  private of(name: string, x?: number): number {
    const isIt = (one: Measurement) =>
      one.group !== 'micro' && one.group !== 'batch' && one.name === name && one.x === x
    return median(this.results.measurements.find(isIt)?.samples ?? [])
  }
}
