import type { Clock } from '../../../clock.js'
import type { OwedDelivery } from '../../outbox.js'
import { logChange, type Told } from '../change-log.js'
import { countByOwner, enterEvents, type LastNumber, type LoggedEvent, takeNumbers } from '../events/event-log.js'
import {
  enterDeliveries,
  laneOf,
  type NewDelivery,
  putHead,
  takeHead,
  timeOfDeliveryId,
} from '../outbox/new-deliveries.js'
import { FateUnknown } from './errors.js'
import { presentTime } from './present-time.js'
import type { Done, Row, Session } from './session.js'
import { type Fragment, sql } from './sql.js'

/** A delivery to queue, and the list that is to name it. */
interface Queued {
  readonly delivery: NewDelivery
  readonly owed: OwedDelivery[]
}

/** The time of a test instead of the database's, and new ids: 16 time-ordered bytes whose first 6 are the time. */
interface WorkOptions {
  readonly clock?: Clock
  readonly newId: (nowMs: number) => Buffer
}

/**
 * The transaction of a unit of work, at READ COMMITTED: a statement sees what was committed when it began. So a unit first locks
 * the rows that its decision is about, and then reads what decides with further statements. Locks are taken in this order, and
 * those of one table in the order of their keys, so that no two units wait for each other:
 *
 *     chains, addresses, wallets, identities, API keys, invoices, deliveries, owners (`event_heads`)
 */
export class Work {
  private time: number | null = null
  private isMuted = false
  private failure: unknown = null
  private hasWritten = false
  private readonly events: LoggedEvent[] = []
  private readonly changes = new Set<string>()
  private readonly touched = new Set<string>()
  private readonly touchedWallets = new Set<string>()
  private readonly owed: OwedDelivery[] = []
  private readonly queued: Queued[] = []
  /** What the unit answered, once its commit was sent. */
  value: unknown
  isCommitSent = false

  constructor(
    private readonly session: Session,
    private readonly options: WorkOptions,
    /** Names the transaction: written with it, so that a lost answer can be looked up. */
    readonly id: string,
    /** Names the process in what it tells others. */
    private readonly writer: string,
  ) {}

  begin(): void {
    this.session.begin((fragment) => void this.run(fragment))
  }

  /** Sends a statement that locks rows. What it answers comes with a later one, and so does its error. */
  lock(fragment: Fragment): void {
    void this.run(fragment)
  }

  /** Sends a statement and answers its rows. */
  rows<T = Row>(fragment: Fragment): Promise<readonly T[]> {
    return quiet(this.run<T>(fragment).then(({ rows }) => rows))
  }

  /** Sends a statement and answers its first row. */
  row<T = Row>(fragment: Fragment): Promise<T | undefined> {
    return quiet(this.run<T>(fragment).then(({ rows }) => rows[0]))
  }

  /** Sends a statement that writes. What it answers comes with a later one, and so does its error. */
  write(fragment: Fragment): void {
    this.hasWritten = true
    void this.run(fragment)
  }

  /** Sends a statement that writes, and answers how many rows it wrote. */
  wrote(fragment: Fragment): Promise<number> {
    this.hasWritten = true
    return quiet(this.run(fragment).then(({ count }) => count))
  }

  /** Sends a statement that writes, and answers rows. */
  written<T = Row>(fragment: Fragment): Promise<readonly T[]> {
    this.hasWritten = true
    return this.rows<T>(fragment)
  }

  /**
   * Reads the time, once; everything that the unit does happens then. Call it behind the statements that lock, so that a unit
   * which waited for another has a later time.
   */
  async readClock(): Promise<number> {
    const { clock } = this.options
    if (this.time === null && clock !== undefined) this.time = clock.now()
    if (this.time === null) {
      const row = await this.row<{ now: number }>(sql`SELECT ${this.now} AS now`)
      this.time ??= row?.now ?? null
    }
    return this.nowMs
  }

  /** The present time as a piece of SQL, Unix ms, for a statement that is sent before the time is known. */
  get now(): Fragment {
    return presentTime(this.options)
  }

  /** The time of the unit, Unix ms, after `readClock`. */
  get nowMs(): number {
    if (this.time === null) throw new Error('a unit of work has not read its clock')
    return this.time
  }

  /** A new id of this time, or of a given one: 32 hex characters. */
  newId(timeMs = this.nowMs): string {
    return this.options.newId(timeMs).toString('hex')
  }

  /** What the unit does from now on is told to nobody: it owes no webhooks, and is no event. */
  silence(): void {
    this.isMuted = true
  }

  get isSilent(): boolean {
    return this.isMuted
  }

  /** Enters an event into the log of an owner, with the commit. */
  log(owner: string, event: Omit<LoggedEvent, 'owner'>): void {
    if (!this.isMuted) this.events.push({ owner, ...event })
  }

  /** Notes that the deposits or the address of a wallet change, or that an invoice on it ends. */
  changed(walletId: string): void {
    this.changes.add(walletId)
  }

  /** Notes that the unit changes an invoice, so that what was read of it before is out of date, and where it stands on its wallets. */
  touch(invoice: { readonly id: string; readonly walletIds: readonly string[] }): void {
    this.touched.add(invoice.id)
    for (const walletId of invoice.walletIds) this.touchedWallets.add(walletId)
  }

  hasTouched(invoiceId: string): boolean {
    return this.touched.has(invoiceId)
  }

  /** Whether the unit has changed neither the deposits of a wallet nor an invoice on it. */
  isAsBefore(walletId: string): boolean {
    return !this.changes.has(walletId) && !this.touchedWallets.has(walletId)
  }

  /** Queues a delivery with the commit, which adds it to `owed`. */
  enqueue(delivery: NewDelivery, owed: OwedDelivery[]): void {
    this.queued.push({ delivery, owed })
  }

  /** Notes that a delivery becomes due, of which other processes are to hear. */
  owes(delivery: OwedDelivery): void {
    this.owed.push(delivery)
  }

  get told(): Told {
    return { walletIds: this.changes, owed: this.owed }
  }

  /** Writes what the unit has gathered, and commits. `value` is what the unit answers. */
  async commit(value: unknown): Promise<void> {
    if (this.failure !== null) throw this.failure
    await Promise.all([this.writeDeliveries(), this.writeEvents()])
    if (this.hasWritten) {
      const time = await this.readClock()
      if (this.changes.size > 0 || this.owed.length > 0) this.write(logChange(this.told, this.writer, time))
      this.write(sql`INSERT INTO writes (id, at) VALUES (${this.id}::uuid, ${time})`)
    }
    this.session.takeWarning()
    this.value = value
    this.isCommitSent = this.hasWritten
    const { command } = await this.run(sql`COMMIT`)
    if (this.failure !== null) throw this.failure
    if (command !== 'COMMIT') throw new Error(`the database answered a commit with ${command}`)
    if (this.session.takeWarning() && this.hasWritten) {
      throw new FateUnknown(new Error('the database has not made a write durable on its replica'))
    }
  }

  /** Writes what a commit would write, and waits for every answer, so that nothing is left that could fail. */
  async rehearse(): Promise<void> {
    await Promise.all([this.writeDeliveries(), this.writeEvents()])
    await this.row(sql`SELECT 1`)
    if (this.failure !== null) throw this.failure
  }

  /** Nothing more is sent. False when the session cannot be used again. */
  async rollBack(): Promise<boolean> {
    // A part of the unit that runs beside the one which failed must not write outside of the transaction.
    this.failure ??= new Error('the unit of work was rolled back')
    try {
      await this.session.run(sql`ROLLBACK`)
      return !this.session.isLost
    } catch {
      return false
    }
  }

  private async writeDeliveries(): Promise<void> {
    const { queued } = this
    const [first, ...rest] = queued.map(() => this.newId())
    if (first === undefined) return
    const [head] = await this.written<{ newest: string }>(takeHead(first))
    const isFirst = head === undefined || head.newest === first
    const ids = isFirst ? [first, ...rest] : queued.map(() => this.newId(timeOfDeliveryId(head.newest) + 1))
    this.write(putHead(ids.at(-1) ?? first))
    const deliveries = queued.map(({ delivery }) => delivery)
    this.write(enterDeliveries(ids, deliveries, this.nowMs))
    for (const [i, { delivery, owed }] of queued.entries()) {
      const { owner, url } = delivery
      const due = { id: ids[i] ?? first, lane: laneOf(owner, url), owner }
      owed.push(due)
      this.owes(due)
    }
  }

  private async writeEvents(): Promise<void> {
    if (this.events.length === 0) return
    const lasts = await this.written<LastNumber>(takeNumbers(countByOwner(this.events), this.nowMs))
    this.write(enterEvents(this.events, lasts))
  }

  private run<T = Row>(fragment: Fragment): Promise<Done<T>> {
    return quiet(this.runOrFail<T>(fragment))
  }

  /** Answers come in order, so the first failure is the reason of all that follow in the same transaction. */
  private async runOrFail<T>(fragment: Fragment): Promise<Done<T>> {
    if (this.failure !== null) throw this.failure
    try {
      return await this.session.run<T>(fragment)
    } catch (error) {
      this.failure ??= error
      throw this.failure
    }
  }
}

/** Nobody may be waiting for an answer when an earlier one fails; the failure comes with the commit. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
