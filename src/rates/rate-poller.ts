import { backOffMs } from '../base/back-off.js'
import type { ReadSet } from '../domain/rate-set.js'
import type { RateOrigin, RateVerdict } from '../domain/rates.js'
import type { Logger } from '../log.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import type { RateSource } from './rate-source.js'

/** How often a source is looked at that tells whether it has changed. */
const LOOK_EVERY_MS = 1000

export interface RatePollerParts {
  readonly source: RateSource
  readonly take: (origin: RateOrigin, read: ReadSet) => Promise<RateVerdict>
  /** The pause between two readings. */
  readonly pollMs: number
  /** The longest pause, after readings that failed. */
  readonly pauseMaxMs: number
  readonly scheduler: Scheduler
  /** From 0 to below 1, for jitter. */
  readonly random: () => number
  readonly log: Pick<Logger, 'warn'>
}

/** Reads a source at once and then again and again: with pauses, which grow while it fails, and as soon as it has changed. */
export class RatePoller {
  private cancelPoll: Cancel = () => {}
  private cancelLook: Cancel = () => {}
  private underWay: Promise<void> = Promise.resolve()
  private failures = 0
  private isStopped = false

  constructor(private readonly parts: RatePollerParts) {}

  start(): void {
    this.underWay = this.step()
  }

  /** Resolves when no reading is under way. */
  async stop(): Promise<void> {
    this.isStopped = true
    this.cancelPoll()
    this.cancelLook()
    this.parts.source.close?.()
    await this.underWay
  }

  private async step(): Promise<void> {
    this.cancelPoll()
    this.cancelLook()
    try {
      const { source, take } = this.parts
      const read = await source.read()
      if (this.isStopped) return
      const verdict = await take(source.origin, read)
      this.failures = verdict.kind === 'refused' ? this.failures + 1 : 0
    } catch (error) {
      // The store is away or full. It says so itself.
      this.failures += 1
      this.parts.log.warn({ err: error }, 'rates could not be kept')
    }
    if (this.isStopped) return
    this.cancelPoll = this.parts.scheduler.after(this.pauseMs(), () => this.run(() => this.step()))
    this.lookLater()
  }

  private pauseMs(): number {
    const { pollMs, pauseMaxMs, random } = this.parts
    const maxMs = this.failures === 0 ? pollMs : Math.max(pollMs, pauseMaxMs)
    return backOffMs(Math.max(this.failures, 1), { firstMs: pollMs, maxMs, random })
  }

  private lookLater(): void {
    if (this.isStopped || this.parts.source.hasChanged === undefined) return
    this.cancelLook = this.parts.scheduler.after(LOOK_EVERY_MS, () => this.run(() => this.look()))
  }

  private async look(): Promise<void> {
    if (await this.parts.source.hasChanged?.()) await this.step()
    else this.lookLater()
  }

  /** One thing at a time: a reading that is due while the source is looked at follows it. */
  private run(task: () => Promise<void>): void {
    this.underWay = this.underWay.then(() => (this.isStopped ? undefined : task()))
  }
}
