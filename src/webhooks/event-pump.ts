import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { type BackOff, backOffMs } from '../base/back-off.js'
import type { Logger } from '../log.js'
import { type Cancel, pause, type Scheduler } from '../scheduler.js'
import type { OnOwed } from '../store/changes.js'
import type { EventOutboxPort } from '../store/event-outbox.js'
import { StorageUnavailable } from '../store/refusals.js'

/** Events of an owner that are read in one write. Then others have their turn. */
const EVENTS_AT_ONCE = 64
/** Owners whose cursors are looked at together. */
const OWNERS_AT_ONCE = 100
/** How often all cursors are looked at, for what nobody has told. */
const LOOK_PAUSE_MS = 10_000
/** Pauses after failures of the store in a row. */
const STORE_PAUSES: BackOff = { firstMs: 100, maxMs: 5000 }

export interface EventPumpParts {
  readonly eventOutbox: EventOutboxPort
  /** Called with deliveries that were queued. */
  readonly onOwed: OnOwed
  /** Called when deliveries may have been queued of which nobody knows. */
  readonly onDoubt: () => Promise<void>
  readonly scheduler: Scheduler
  readonly log: Logger
}

/**
 * Has the events of owners with the payload `events` queued as deliveries. What is to be done stands in the store, as a cursor into
 * the log of each of these owners; in memory are only the names of those who may have something to be queued. They are served in
 * turn, a bounded piece at a time, so a long log delays nobody else. It rests until it is woken, and looks at all cursors now and then.
 */
export class EventPump {
  /** In the order of their turns. */
  private readonly waiting = new Set<string>()
  private running: Promise<void> | null = null
  private isLookDue = true
  private cancelLook: Cancel = () => {}
  private failures = 0
  /** `open`: a write failed, which may have queued deliveries all the same. `over`: a later one came through, so that can be looked up. */
  private doubt: 'none' | 'open' | 'over' = 'none'
  private readonly stopping = new AbortController()

  constructor(private readonly parts: EventPumpParts) {}

  start(): void {
    this.isLookDue = true
    this.run()
  }

  /** Something was logged of these owners. */
  wake(owners: Iterable<string>): void {
    for (const owner of owners) this.waiting.add(owner)
    this.run()
  }

  /** Resolves when no write is in progress. What is left stands in the store. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.cancelLook()
    await this.running
  }

  private run(): void {
    if (this.running !== null || this.isStopping) return
    this.running = this.workAll().finally(() => {
      this.running = null
      // Woken behind the last look at what waits.
      if (this.hasWork) this.run()
    })
  }

  private get hasWork(): boolean {
    return this.doubt === 'over' || this.isLookDue || this.waiting.size > 0
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted
  }

  /** Never rejects. */
  private async workAll(): Promise<void> {
    while (!this.isStopping && this.hasWork) {
      try {
        if (this.doubt === 'over') {
          await this.parts.onDoubt()
          this.doubt = 'none'
        } else if (this.isLookDue) await this.look()
        else await this.serveNext()
        // Where reads go on and writes do not, a read ends nothing.
        if (this.doubt !== 'open') this.failures = 0
      } catch (error) {
        this.failures += 1
        if (this.failures === 1) this.parts.log.error({ err: error }, 'events to be sent wait for the store')
        await pause(this.parts.scheduler, backOffMs(this.failures, STORE_PAUSES), this.stopping.signal)
      }
      await nextTurnOfLoop()
    }
  }

  private async look(): Promise<void> {
    const { eventOutbox, scheduler } = this.parts
    for (let after: string | null = null; !this.isStopping; await nextTurnOfLoop()) {
      const { owners, next } = await eventOutbox.behind(after, OWNERS_AT_ONCE)
      for (const owner of owners) this.waiting.add(owner)
      if (next === null) break
      after = next
    }
    this.isLookDue = false
    if (this.isStopping) return
    this.cancelLook = scheduler.after(LOOK_PAUSE_MS, () => this.start())
  }

  private async serveNext(): Promise<void> {
    const { eventOutbox, log, onOwed } = this.parts
    const [owner] = this.waiting
    if (owner === undefined) return
    // Before the write: what is logged during it calls again.
    this.waiting.delete(owner)
    try {
      const { owed, isMore, lost } = await eventOutbox.queueNext(owner, EVENTS_AT_ONCE)
      if (this.doubt === 'open') this.doubt = 'over'
      if (owed.length > 0) onOwed(owed)
      if (isMore) this.waiting.add(owner)
      if (lost !== null) {
        log.error(
          { owner, ...lost },
          'events were removed before they were sent as webhooks; their owner is told the later ones',
        )
      }
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) {
        // A defect, or a damaged record. Others go on, and the next look finds the owner again.
        log.error({ err: error, owner }, 'the events of an owner could not be queued as webhooks')
        return
      }
      this.waiting.add(owner)
      this.doubt = 'open'
      throw error
    }
  }
}
