import type { Settled } from '../../commands.js'
import type { CommitObserver } from '../../commit-observer.js'
import { isDamage } from '../../damage.js'
import { QueueFull, StorageUnavailable } from '../../refusals.js'
import type { Tables } from '../tables/tables.js'
import { Changes } from './changes.js'
import { type Snapshot, type TimedUnit, type Unit, UnitRunner, type World } from './commit.js'
import { commitErrorOf } from './commit-error.js'
import type { DataDisk } from './data-disk.js'
import { WaitingUnits } from './waiting-units.js'

const NO_PLACES: readonly number[] = []

interface Waiting extends TimedUnit {
  readonly isRequested: boolean
  readonly call: object
  readonly settle: (fate: Settled<unknown>) => void
}

/**
 * Group commit. Work that arrives during a commit goes into the next one together: one transaction and one
 * flush for all of it. One commit is in flight at a time. A promise resolves when the commit that carries its work is
 * durable.
 *
 * The binding must not meet a disk that refuses writes: it describes the failed write in 100 bytes, may write more, and so
 * damages the memory of the process (lmdb 3.5.6, `mdb_page_flush`). A commit therefore begins only when there is space for
 * it, and after one that failed none begins until `resume`.
 */
export class CommitLoop {
  private readonly waiting = new WaitingUnits<Waiting>()
  private running: Promise<void> | null = null
  private isClosed = false

  readonly changes = new Changes()
  private readonly units: UnitRunner
  /** Why the last commit failed, since nobody asked to go on. */
  private refusal: unknown = null

  constructor(
    private readonly tables: Tables,
    world: World,
    private readonly disk: Pick<DataDisk, 'obstacle'>,
    private readonly observer?: CommitObserver,
    private readonly onFailed?: (reason: StorageUnavailable) => void,
    /** Called with why a unit or a commit failed. */
    private readonly onError: (error: unknown) => void = () => {},
  ) {
    this.units = new UnitRunner(tables, world, this.changes, onError)
  }

  /** The committed state. A unit of work reads through its commit instead: what it sees may yet be undone. */
  get snapshot(): Snapshot {
    return this.units.snapshot
  }

  /** Reads the committed state for a caller that is no method of a port, of which others hear why it fails (`overheard.ts`). */
  read<T>(work: (at: Snapshot) => T): T {
    try {
      return work(this.snapshot)
    } catch (error) {
      this.onError(error)
      throw error
    }
  }

  /**
   * The owner of a wallet as commits remember it. It may yet be undone: a hint that saves a look-up, where the turn decides
   * again.
   */
  ownerHint(walletId: string): string | null | undefined {
    return this.units.ownerHint(walletId)
  }

  /** Runs a unit; rejects with what it threw, with `QueueFull` when too much waits, or with `StorageUnavailable`. */
  async run<T>(unit: Unit<T>): Promise<T> {
    return only(await this.runAll([unit]))
  }

  /**
   * Runs units in order; answers their fates in the same order. It never rejects: what cannot be made durable is
   * rejected unit by unit, since one call's units may be in several commits. All are rejected with `QueueFull`, and none
   * is run, when they do not fit beside the requested units that wait.
   */
  runAll<T>(units: readonly Unit<T>[]): Promise<readonly Settled<T>[]> {
    if (!this.waiting.hasRoom(units.length)) return allRejected(units, new QueueFull())
    return this.enqueue(units, NO_PLACES, true)
  }

  /** Runs a unit whose caller bounds how many of them wait; it is never refused for lack of room. */
  async runAdmitted<T>(unit: Unit<T>): Promise<T> {
    return only(await this.runAllAdmitted([unit]))
  }

  /** Runs units like `runAll`, for a caller that bounds how many of them wait. `places`: on how many wallets each enters invoices. */
  runAllAdmitted<T>(units: readonly Unit<T>[], places = NO_PLACES): Promise<readonly Settled<T>[]> {
    return this.enqueue(units, places, false)
  }

  /** Lets commits begin again after one that failed, unless that met damage: the binding's next transaction may end the process. */
  resume(): void {
    if (!this.hasMetDamage) this.refusal = null
  }

  /** Whether the last commit met damage: then it was the last one. */
  get hasMetDamage(): boolean {
    return isDamage(this.refusal)
  }

  /** Takes no more work, and resolves when nothing waits or runs. */
  async close(): Promise<void> {
    this.isClosed = true
    while (this.running !== null) await this.running
  }

  private enqueue<T>(
    units: readonly Unit<T>[],
    places: readonly number[],
    isRequested: boolean,
  ): Promise<readonly Settled<T>[]> {
    if (units.length === 0) return Promise.resolve([])
    if (this.isClosed) return allRejected(units, new StorageUnavailable(new Error('the store is closed')))
    return new Promise((resolve) => {
      const fates: Settled<T>[] = []
      const settle = (fate: Settled<unknown>) => {
        // The unit's own type: `settle` is called with its own unit's fate, and commits keep the order.
        fates.push(fate as Settled<T>)
        if (fates.length === units.length) resolve(fates)
      }
      this.waiting.add(units.map((unit, i) => ({ unit, isRequested, places: places[i] ?? 0, call: fates, settle })))
      this.running ??= this.drain()
    })
  }

  private async drain(): Promise<void> {
    while (!this.waiting.isEmpty) await this.commit()
    this.running = null
  }

  private async commit(): Promise<void> {
    let batch: readonly Waiting[] = []
    let fates: readonly Settled<unknown>[] = []
    const startedAt = this.observer === undefined ? 0 : this.observer.now()
    try {
      this.assertWritable()
      await this.tables.root.transaction(() => {
        // Taken here and not before: what arrives until the write lock is held still joins.
        batch = this.waiting.take()
        fates = this.units.run(batch)
        this.putBackAfter(batch, fates.length)
        batch = batch.slice(0, fates.length)
      })
    } catch (cause) {
      this.units.dropCaches()
      this.changes.forget()
      // Without a transaction nothing was taken: the batch that would have been is refused, or it would be tried for ever.
      if (batch.length === 0) batch = this.waiting.take()
      this.observer?.failed(batch.length)
      this.refusal = cause
      const reason = new StorageUnavailable(cause)
      // The binding says a moment later what the disk has said.
      void commitErrorOf(cause)?.then((said) => {
        reason.cause = said
        if (this.refusal === cause) this.refusal = said
        this.onError(said)
      })
      this.onFailed?.(reason)
      this.onError(cause)
      for (const { settle } of batch) settle({ status: 'rejected', reason })
      return
    }
    if (fates.length !== batch.length) throw new Error('a commit answered fewer units than it was given')
    this.observer?.committed(batch.length, this.observer.now() - startedAt)
    for (let i = 0; i < batch.length; i += 1) {
      const fate = fates[i]
      if (fate !== undefined) batch[i]?.settle(fate)
    }
    this.changes.tell()
  }

  /** Has the units of a batch behind its first `count` wait again. */
  private putBackAfter(batch: readonly Waiting[], count: number): void {
    const last = batch[count - 1]
    if (last !== undefined) this.waiting.putBack(batch.slice(count), last)
  }

  private assertWritable(): void {
    const obstacle = this.refusal ?? this.disk.obstacle()
    if (obstacle !== null) throw obstacle
  }
}

function allRejected<T>(units: readonly unknown[], reason: Error): Promise<readonly Settled<T>[]> {
  return Promise.resolve(units.map(() => ({ status: 'rejected', reason })))
}

function only<T>([fate]: readonly Settled<T>[]): T {
  if (fate === undefined) throw new Error('a unit has no fate')
  if (fate.status === 'rejected') throw fate.reason
  return fate.value
}
