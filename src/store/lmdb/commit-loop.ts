import type { RootDatabase } from 'lmdb'
import type { Settled } from '../commands.js'
import type { CommitObserver } from '../commit-observer.js'
import { QueueFull, StorageUnavailable } from '../refusals.js'

/** Units of work in one transaction at the most, so that the thread is never held for long. */
export const COMMIT_BATCH_MAX = 256

/**
 * Units that may wait because somebody outside asked for them: registrations, claims, settings, pushed facts. Units that
 * were admitted elsewhere do not count, so that a flood of them refuses no one, and are bounded where they were admitted.
 */
export const REQUESTED_UNITS_MAX = 8192

/** A piece of work that reads, decides and writes, all at once; what it writes before it throws is undone. */
type Unit = () => unknown

interface Waiting {
  readonly unit: Unit
  readonly isRequested: boolean
  readonly settle: (fate: Settled<unknown>) => void
}

/** Hooks of the state that lives in memory beside a transaction. */
export interface TransactionHooks {
  /** Called last in each transaction. */
  beforeCommit(): void
  /** The transaction, or a part of it, was undone: forget what was read or handed out in it. */
  afterAbort(): void
}

/**
 * Group commit. Work that arrives while a commit is under way gathers, and goes into the next one together: one
 * transaction, one flush, whatever gathered. One commit is in flight at a time. A promise resolves when the commit that
 * carries its work is durable.
 *
 * A unit that throws is rejected alone: the transaction is undone, and then every unit is run again in a transaction
 * of its own nested in the commit.
 */
export class CommitLoop {
  private waiting: Waiting[] = []
  private requestedCount = 0
  private running: Promise<void> | null = null
  private isClosed = false

  constructor(
    private readonly root: RootDatabase<Buffer, Buffer>,
    private readonly hooks: TransactionHooks,
    private readonly observer?: CommitObserver,
  ) {}

  /** Runs a unit; rejects with what it threw, with `QueueFull` when too much waits, or with `StorageUnavailable`. */
  async run<T>(unit: () => T): Promise<T> {
    return only(await this.runAll([unit]))
  }

  /**
   * Runs units in order; answers their fates in the same order. It never rejects: what cannot be made durable is
   * rejected unit by unit, since one call's units may be in several commits. All are rejected with `QueueFull`, and none
   * is run, when they do not fit beside the requested units that wait.
   */
  runAll<T>(units: readonly (() => T)[]): Promise<readonly Settled<T>[]> {
    if (this.requestedCount + units.length > REQUESTED_UNITS_MAX) return allRejected(units, new QueueFull())
    return this.enqueue(units, true)
  }

  /** Runs a unit whose caller bounds how many of them wait; it is never refused for lack of room. */
  async runAdmitted<T>(unit: () => T): Promise<T> {
    return only(await this.runAllAdmitted([unit]))
  }

  /** Runs units like `runAll`, for a caller that bounds how many of them wait. */
  runAllAdmitted<T>(units: readonly (() => T)[]): Promise<readonly Settled<T>[]> {
    return this.enqueue(units, false)
  }

  /** Takes no more work, and resolves when nothing is waiting or under way. */
  async close(): Promise<void> {
    this.isClosed = true
    while (this.running !== null) await this.running
  }

  private enqueue<T>(units: readonly (() => T)[], isRequested: boolean): Promise<readonly Settled<T>[]> {
    if (units.length === 0) return Promise.resolve([])
    if (this.isClosed) return allRejected(units, new StorageUnavailable(new Error('the store is closed')))
    return new Promise((resolve) => {
      const fates: Settled<T>[] = []
      const settle = (fate: Settled<unknown>) => {
        // The unit's own type: `settle` is called with its own unit's fate, and commits keep the order.
        fates.push(fate as Settled<T>)
        if (fates.length === units.length) resolve(fates)
      }
      for (const unit of units) this.waiting.push({ unit, isRequested, settle })
      if (isRequested) this.requestedCount += units.length
      this.running ??= this.drain()
    })
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) await this.commit()
    this.running = null
  }

  private async commit(): Promise<void> {
    let batch: readonly Waiting[] = []
    let fates: Settled<unknown>[] = []
    const startedAt = this.observer === undefined ? 0 : this.observer.now()
    try {
      await this.root.transaction(() => {
        // Taken here and not before: what arrives until the write lock is held still joins.
        batch = this.take()
        fates = this.runTogether(batch) ?? this.runApart(batch)
      })
    } catch (cause) {
      this.hooks.afterAbort()
      ignoreCommitError(cause)
      // Without a transaction nothing was taken: the batch that would have been is refused, or it would be tried for ever.
      if (batch.length === 0) batch = this.take()
      this.observer?.failed(batch.length)
      const reason = new StorageUnavailable(cause)
      for (const { settle } of batch) settle({ status: 'rejected', reason })
      return
    }
    if (fates.length !== batch.length) throw new Error('a commit answered fewer units than it was given')
    this.observer?.committed(batch.length, this.observer.now() - startedAt)
    for (let i = 0; i < batch.length; i += 1) {
      const fate = fates[i]
      if (fate !== undefined) batch[i]?.settle(fate)
    }
  }

  /** The units of the next commit. */
  private take(): readonly Waiting[] {
    const batch = this.waiting.slice(0, COMMIT_BATCH_MAX)
    this.waiting = this.waiting.slice(batch.length)
    for (const { isRequested } of batch) if (isRequested) this.requestedCount -= 1
    return batch
  }

  /** All units in one nested transaction; null, with everything undone, when one throws. */
  private runTogether(batch: readonly Waiting[]): Settled<unknown>[] | null {
    try {
      return this.nested(() => batch.map(({ unit }) => ({ status: 'fulfilled' as const, value: unit() })))
    } catch {
      this.hooks.afterAbort()
      return null
    }
  }

  /** Each unit in a nested transaction of its own. */
  private runApart(batch: readonly Waiting[]): Settled<unknown>[] {
    return batch.map(({ unit }) => {
      try {
        return { status: 'fulfilled', value: this.nested(unit) }
      } catch (reason) {
        this.hooks.afterAbort()
        return { status: 'rejected', reason }
      }
    })
  }

  private nested<T>(work: () => T): T {
    // Inside a transaction's callback the binding runs a nested one at once and answers its value, not a promise.
    return this.root.childTransaction(() => {
      const value = work()
      this.hooks.beforeCommit()
      return value
    }) as unknown as T
  }
}

function allRejected<T>(units: readonly (() => T)[], reason: Error): Promise<readonly Settled<T>[]> {
  return Promise.resolve(units.map(() => ({ status: 'rejected', reason })))
}

function only<T>([fate]: readonly Settled<T>[]): T {
  if (fate === undefined) throw new Error('a unit has no fate')
  if (fate.status === 'rejected') throw fate.reason
  return fate.value
}

/**
 * The binding tells why a commit failed by a second promise, which rejects soon after; it prints the reason itself. Left
 * without a handler it would end the process.
 */
function ignoreCommitError(cause: unknown): void {
  if (!(cause instanceof Error) || !('commitError' in cause)) return
  if (cause.commitError instanceof Promise) cause.commitError.catch(() => {})
}
