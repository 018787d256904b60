import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../clock.js'
import type { Cancel, Scheduler } from '../scheduler.js'

/** The time between two samples. */
export const SAMPLE_MS = 10_000
/** Samples that are kept: those of an hour. */
export const SAMPLES_MAX = 360
const MS_PER_SECOND = 1000
const NS_PER_MS = 1_000_000
const BYTES_PER_MIB = 1_048_576

/** What has happened since the start. */
export interface Totals {
  /** Invoices. */
  creations: number
  /** Reports of deposits that changed something. */
  deposits: number
  /** Webhooks that a receiver took. */
  deliveries: number
  verifications: number
  /** Requests that were answered with an error. */
  refused: number
}

export const NO_TOTALS: Readonly<Totals> = { creations: 0, deposits: 0, deliveries: 0, verifications: 0, refused: 0 }

/** How the service was in the time before a moment. What `Totals` counts is given per second. */
export type Sample = Readonly<Totals> & {
  /** Unix ms. */
  readonly at: number
  /** The longest delay of the event loop, in ms. */
  readonly loopDelay: number
  /** Resident memory of the process, in MiB, with the database's pages. */
  readonly memory: number
}

export interface HistoryParts {
  readonly totals: Readonly<Totals>
  readonly clock: Clock
  readonly scheduler: Scheduler
}

/** The last hour, in samples in memory. A restart begins another. */
export class History {
  private readonly kept: Sample[] = []
  private readonly delay = monitorEventLoopDelay()
  private before: { readonly at: number; readonly totals: Readonly<Totals> }
  private cancel: Cancel = () => {}

  constructor(private readonly parts: HistoryParts) {
    this.before = { at: parts.clock.now(), totals: { ...parts.totals } }
  }

  /** Oldest first. */
  get samples(): readonly Sample[] {
    return this.kept
  }

  start(): void {
    this.delay.enable()
    this.next()
  }

  stop(): void {
    this.cancel()
    this.delay.disable()
  }

  private next(): void {
    this.cancel = this.parts.scheduler.after(SAMPLE_MS, () => {
      this.take()
      this.next()
    })
  }

  private take(): void {
    const { at: since, totals: were } = this.before
    const [at, totals] = [this.parts.clock.now(), { ...this.parts.totals }]
    this.before = { at, totals }
    const loopDelay = this.delay.max / NS_PER_MS
    this.delay.reset()
    // A clock that was set back: the time that has passed is unknown.
    if (at <= since) return
    const rate = (name: keyof Totals) => ((totals[name] - were[name]) * MS_PER_SECOND) / (at - since)
    this.kept.push({
      at,
      creations: rate('creations'),
      deposits: rate('deposits'),
      deliveries: rate('deliveries'),
      verifications: rate('verifications'),
      refused: rate('refused'),
      loopDelay,
      memory: process.memoryUsage.rss() / BYTES_PER_MIB,
    })
    if (this.kept.length > SAMPLES_MAX) this.kept.shift()
  }
}
