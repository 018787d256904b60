import { BoundedSlice, type Slice } from '../../../base/turns.js'
import { type Clock, elapsedOf } from '../../../clock.js'
import { INVOICE_WALLETS_MAX } from '../../../domain/invoice.js'
import { ORDER_OPTIONS_MAX } from '../../../domain/order.js'
import type { Settled } from '../../commands.js'
import { CurrencyNumbers } from '../tables/currencies.js'
import type { Numbers } from '../tables/keys.js'
import type { ReadTables, Tables } from '../tables/tables.js'
import { Caches, Memos } from './caches.js'
import type { Changes } from './changes.js'

/**
 * How long the units of one transaction may hold the thread together. The last one is not interrupted, so one that is known to take long
 * is not begun behind others.
 */
const COMMIT_MS = 5

/** What an invoice counts for on each of its wallets: the widest order takes all the time of a transaction, so that there is one in it. */
const PLACE_MS = COMMIT_MS / (ORDER_OPTIONS_MAX * INVOICE_WALLETS_MAX)

/** What the commands of one transaction may spend together on what can wait: expiries, and invoices that a deposit has paid beside its own. */
const ASIDE_LOOKUPS = 200

/** Time and ids, passed in so that a test can own them. */
export interface World {
  readonly clock: Clock
  /** 16 time-ordered bytes whose first 6 are `nowMs`. */
  readonly newId: (nowMs: number) => Buffer
}

/**
 * The transaction that a unit of work runs in. Only `UnitRunner` makes them, so what takes a `Commit` cannot be called
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

/** The committed state, for readers. Only `UnitRunner` makes them, and a unit of work gets none. */
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
export type Unit<T> = (commit: Commit) => T

/** A unit of work, and what is known of the time that it takes. */
export interface TimedUnit {
  readonly unit: Unit<unknown>
  /** On how many wallets it enters invoices, as far as that is known. */
  readonly places: number
}

/**
 * Runs units of work in the transaction that is under way, and keeps what later ones may know without reading it.
 *
 * A unit that throws is rejected alone: everything is undone, and then each unit runs again in a nested transaction of its
 * own. Whatever is undone takes the caches of commits with it.
 */
export class UnitRunner {
  private isRunning = false
  private caches = new Caches()
  private readonly committed: CommittedState

  constructor(
    private readonly tables: Tables,
    private readonly world: World,
    private readonly changes: Changes,
    private readonly onError: (error: unknown) => void,
  ) {
    this.committed = new CommittedState(tables, world.clock)
  }

  /** The committed state. A unit of work reads through its commit instead: what it sees may yet be undone. */
  get snapshot(): Snapshot {
    if (this.isRunning) throw new Error('a unit of work reads through its commit')
    return this.committed
  }

  /** The owner of a wallet as commits remember it. It may yet be undone. */
  ownerHint(walletId: string): string | null | undefined {
    return this.caches.wallets.get(walletId)?.owner
  }

  /** Runs units in order, at least one, until the time of a transaction is over. Answers the fates of those that it has run. */
  run(batch: readonly TimedUnit[]): readonly Settled<unknown>[] {
    this.isRunning = true
    try {
      return this.runTogether(batch) ?? this.runApart(batch)
    } finally {
      this.isRunning = false
    }
  }

  /** A transaction was undone, and the caches may hold rows of it. */
  dropCaches(): void {
    this.caches = new Caches()
  }

  /** As many units as there is time for, in one nested transaction; null, with everything undone, when one throws. */
  private runTogether(batch: readonly TimedUnit[]): Settled<unknown>[] | null {
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
  private runApart(batch: readonly TimedUnit[]): Settled<unknown>[] {
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
    batch: readonly TimedUnit[],
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
}

function boundedSlice({ clock }: World, mostMs: number, mostLookups: number): BoundedSlice {
  return new BoundedSlice(() => elapsedOf(clock), mostMs, mostLookups)
}
