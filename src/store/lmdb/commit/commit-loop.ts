import { BoundedSlice, type Slice } from '../../../base/turns.js'
import { type Clock, elapsedOf } from '../../../clock.js'
import { INVOICE_WALLETS_MAX } from '../../../domain/invoice.js'
import { ORDER_OPTIONS_MAX } from '../../../domain/order.js'
import type { Settled } from '../../commands.js'
import type { CommitObserver } from '../../commit-observer.js'
import { isDamage } from '../../damage.js'
import { QueueFull, StorageUnavailable } from '../../refusals.js'
import { CurrencyNumbers } from '../tables/currencies.js'
import type { Numbers } from '../tables/keys.js'
import type { ReadTables, Tables } from '../tables/tables.js'
import { Caches, Memos } from './caches.js'
import { Changes } from './changes.js'
import { commitErrorOf } from './commit-error.js'
import type { DataDisk } from './data-disk.js'
import { WaitingUnits } from './waiting-units.js'

/**
 * How long the units of one transaction may hold the thread together. The last one is not interrupted, so one that is known to take long
 * is not begun behind others.
 */
const COMMIT_MS = 5

/** What an invoice counts for on each of its wallets: the widest order takes all the time of a transaction, so that there is one in it. */
const PLACE_MS = COMMIT_MS / (ORDER_OPTIONS_MAX * INVOICE_WALLETS_MAX)

/** What the commands of one transaction may spend together on what can wait: expiries, and invoices that a deposit has paid beside its own. */
const ASIDE_LOOKUPS = 200

const NO_PLACES: readonly number[] = []

/** Time and ids, passed in so that a test can own them. */
export interface World {
  readonly clock: Clock
  /** 16 time-ordered bytes whose first 6 are `nowMs`. */
  readonly newId: (nowMs: number) => Buffer
}

/**
 * The transaction that a unit of work runs in. Only the commit loop can make one, so what takes a `Commit` cannot be called
 * outside of a transaction.
 */
class UnitCommit {
  /** Read once: everything that a unit does happens at the same time. Unix ms. */
  readonly nowMs: number
  private isMuted = false

  constructor(
    readonly tables: Tables,
    /** Valid in this transaction and, when it succeeds, in later ones. */
    readonly caches: Caches,
    private readonly world: World,
    private readonly changes: Changes,
    /** What may be spent beside the units' own work. One for all units of a transaction. */
    readonly aside: Slice,
  ) {
    this.nowMs = world.clock.now()
  }

  /** A slice of the thread's time, for a unit that does nothing but what can wait. */
  slice(mostMs: number, mostLookups: number): Slice {
    return boundedSlice(this.world, mostMs, mostLookups)
  }

  /** What the unit does from now on is told to nobody: it owes no webhooks, and is no event. */
  silence(): void {
    this.isMuted = true
  }

  get isSilent(): boolean {
    return this.isMuted
  }

  /** A new id of this time, or of a given one. */
  newId(timeMs = this.nowMs): Buffer {
    return this.world.newId(timeMs)
  }

  /** Notes that the deposits or the address of a wallet change, or that an invoice on it ends. */
  changed(walletId: string): void {
    this.changes.addWallet(walletId)
  }

  /** Notes that deposits change which are matched to an invoice. */
  ownChanged(invoiceId: string): void {
    this.changes.addInvoice(invoiceId)
  }

  /** Notes that something was logged of an owner whose events are sent. */
  logged(owner: string): void {
    this.changes.addLogged(owner)
  }

  /** The numbers of currencies, as this transaction sees them. */
  get currencies(): CurrencyNumbers {
    return this.caches.currenciesIn(this.tables)
  }

  nextNo<K extends keyof Numbers>(kind: K): Numbers[K] {
    return this.caches.sequences.next(this.tables, kind)
  }

  /** Notes that a record of another store came with its number. */
  usedNo(kind: keyof Numbers, number: number): void {
    this.caches.sequences.use(this.tables, kind, number)
  }
}
export type Commit = UnitCommit

/** The committed state, for readers. Only the commit loop can make one, and a unit of work gets none. */
class CommittedState {
  /** Only commits have them: a reader must not see what may yet be undone. */
  readonly caches = null
  readonly memos = new Memos()
  readonly currencies: CurrencyNumbers

  constructor(
    readonly tables: ReadTables,
    private readonly clock: Clock,
  ) {
    this.currencies = new CurrencyNumbers(tables.currencies)
  }

  /** Unix ms. */
  get nowMs(): number {
    return this.clock.now()
  }
}
export type Snapshot = CommittedState

/** Where to read: in a transaction, with what it has written so far, or what was committed. */
export type Reader = Commit | Snapshot

/** A piece of work that reads, decides and writes without a pause; what it writes before it throws is undone. */
type Unit<T> = (commit: Commit) => T

interface Waiting {
  readonly unit: Unit<unknown>
  readonly isRequested: boolean
  /** On how many wallets it enters invoices, as far as that is known. */
  readonly places: number
  readonly call: object
  readonly settle: (fate: Settled<unknown>) => void
}

/**
 * Group commit. Work that arrives during a commit goes into the next one together: one transaction and one
 * flush for all of it. One commit is in flight at a time. A promise resolves when the commit that carries its work is
 * durable.
 *
 * A unit that throws is rejected alone: everything is undone, and then each unit runs again in a nested transaction of its
 * own. Whatever is undone takes the caches of commits with it.
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
  private isInTransaction = false
  /** Why the last commit failed, since nobody asked to go on. */
  private refusal: unknown = null
  private caches = new Caches()
  private readonly committed: CommittedState

  constructor(
    private readonly tables: Tables,
    private readonly world: World,
    private readonly disk: Pick<DataDisk, 'obstacle'>,
    private readonly observer?: CommitObserver,
    private readonly onFailed?: (reason: StorageUnavailable) => void,
    /** Called with why a unit or a commit failed. */
    private readonly onError: (error: unknown) => void = () => {},
  ) {
    this.committed = new CommittedState(tables, world.clock)
  }

  /** The committed state. A unit of work reads through its commit instead: what it sees may yet be undone. */
  get snapshot(): Snapshot {
    if (this.isInTransaction) throw new Error('a unit of work reads through its commit')
    return this.committed
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
    return this.caches.wallets.get(walletId)?.owner
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
    let fates: Settled<unknown>[] = []
    const startedAt = this.observer === undefined ? 0 : this.observer.now()
    try {
      this.assertWritable()
      await this.tables.root.transaction(() => {
        // Taken here and not before: what arrives until the write lock is held still joins.
        batch = this.waiting.take()
        this.isInTransaction = true
        try {
          fates = this.runTogether(batch) ?? this.runApart(batch)
        } finally {
          this.isInTransaction = false
        }
        this.putBackAfter(batch, fates.length)
        batch = batch.slice(0, fates.length)
      })
    } catch (cause) {
      this.dropCaches()
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

  /** As many units as there is time for, in one nested transaction; null, with everything undone, when one throws. */
  private runTogether(batch: readonly Waiting[]): Settled<unknown>[] | null {
    try {
      return this.nested(() =>
        this.inTime(batch, (unit, aside) => ({ status: 'fulfilled', value: unit(this.newCommit(aside)) })),
      )
    } catch {
      this.dropCaches()
      return null
    }
  }

  /** Each unit in a nested transaction of its own, as many as there is time for. */
  private runApart(batch: readonly Waiting[]): Settled<unknown>[] {
    return this.inTime(batch, (unit, aside) => {
      try {
        return { status: 'fulfilled', value: this.nested(() => unit(this.newCommit(aside))) }
      } catch (reason) {
        this.dropCaches()
        this.onError(reason)
        return { status: 'rejected', reason }
      }
    })
  }

  /** Runs units, at least one, until the time of a transaction is over. */
  private inTime(
    batch: readonly Waiting[],
    run: (unit: Unit<unknown>, aside: Slice) => Settled<unknown>,
  ): Settled<unknown>[] {
    const time = boundedSlice(this.world, COMMIT_MS, Number.POSITIVE_INFINITY)
    const aside = boundedSlice(this.world, COMMIT_MS, ASIDE_LOOKUPS)
    const fates: Settled<unknown>[] = []
    for (const { unit, places } of batch) {
      if (fates.length > 0 && !time.hasTimeFor(places * PLACE_MS)) break
      fates.push(run(unit, aside))
    }
    return fates
  }

  private nested<T>(work: () => T): T {
    // Inside a transaction's callback the binding runs a nested one at once and answers its value, not a promise.
    return this.tables.root.childTransaction(work) as unknown as T
  }

  private newCommit(aside: Slice): Commit {
    return new UnitCommit(this.tables, this.caches, this.world, this.changes, aside)
  }

  /** A transaction was undone, and the caches may hold rows of it. */
  private dropCaches(): void {
    this.caches = new Caches()
  }
}

function boundedSlice({ clock }: World, mostMs: number, mostLookups: number): BoundedSlice {
  return new BoundedSlice(() => elapsedOf(clock), mostMs, mostLookups)
}

function allRejected<T>(units: readonly unknown[], reason: Error): Promise<readonly Settled<T>[]> {
  return Promise.resolve(units.map(() => ({ status: 'rejected', reason })))
}

function only<T>([fate]: readonly Settled<T>[]): T {
  if (fate === undefined) throw new Error('a unit has no fate')
  if (fate.status === 'rejected') throw fate.reason
  return fate.value
}
