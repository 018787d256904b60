import type { Clock } from '../../../clock.js'
import type { NewDelivery } from '../../../domain/webhook.js'
import type { OwedDelivery } from '../../outbox.js'
import { logChange, type Told } from '../change-log.js'
import type { LoggedEvent } from '../events/event-log.js'
import { type Effect, Effects } from './effects.js'
import { FateUnknown } from './errors.js'
import { HeldWallets } from './held-wallets.js'
import { presentTime } from './present-time.js'
import type { Done, Row, Session } from './session.js'
import { type Fragment, sql } from './sql.js'
import { Tale, writeTale } from './tale.js'
import { Touches } from './touches.js'

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
  /** The answer that tells the time; null before it is asked for. */
  private asked: Promise<{ readonly now: number } | undefined> | null = null
  private isMuted = false
  private failure: unknown = null
  private hasWritten = false
  private readonly tale = new Tale()
  /** The tale of the part that goes on now. */
  private present = this.tale
  private readonly changes = new Set<string>()
  private readonly ownChanges = new Map<string, string>()
  /** Invoices that it has changed, and the wallets that they are on. */
  private readonly touches = new Touches()
  private readonly effects = new Effects()
  private readonly owed: OwedDelivery[] = []
  /** Reads what deliveries show; null for nothing. */
  private reading: (() => Promise<unknown>) | null = null
  /** Owners of whom something was logged; once the database has answered, those of them whose events are sent. */
  private logged: ReadonlySet<string> = new Set()
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
    readonly wallets = new HeldWallets(new Set()),
  ) {}

  begin(): void {
    this.session.begin((fragment) => void this.run(fragment))
  }

  /** Sends a statement that locks rows. What it answers comes with a later one, and so does its error. */
  lock(fragment: Fragment): void {
    void this.run(fragment)
  }

  /** Sends a statement that locks wallets, and notes those whose ids it answers. */
  lockWallets(fragment: Fragment): void {
    const noted = this.rows<{ readonly id: string }>(fragment).then((rows) => {
      this.wallets.note(rows.map(({ id }) => id))
    })
    void quiet(noted)
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

  /** Writes an effect before anything else is sent, and with others of its kind. */
  effect<T>(kind: Effect<T>, effect: T): void {
    this.hasWritten = true
    if (this.effects.add(kind, effect)) return
    this.writeEffects()
    this.effects.add(kind, effect)
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
      this.asked ??= this.row<{ now: number }>(sql`SELECT ${this.now} AS now`)
      this.time ??= (await this.asked)?.now ?? null
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
    if (!this.isMuted) this.present.events.push({ owner, ...event })
  }

  /** Notes that the deposits or the address of a wallet change, or that an invoice on it ends. */
  changed(walletId: string): void {
    this.changes.add(walletId)
  }

  /** Notes that deposits change which are matched to an invoice, and went to a wallet. */
  ownChanged(invoiceId: string, walletId: string): void {
    this.ownChanges.set(invoiceId, walletId)
  }

  /** Notes that the unit changes an invoice, and where it stands on its wallets. */
  touch(invoice: { readonly id: string; readonly walletIds: readonly string[] }): void {
    this.touches.touch([invoice.id, ...invoice.walletIds])
  }

  /** The present moment: what the unit changes later, it changes since. */
  get moment(): number {
    return this.touches.moment
  }

  /** Whether what stands under an id is as it was at a moment: an invoice, or the invoices on a wallet. */
  isAsAt(moment: number, id: string): boolean {
    return this.touches.isAsAt(moment, id)
  }

  /** Queues a delivery with the commit, which adds it to `owed`. It is asked for behind `readsShown`. */
  enqueue(delivery: () => NewDelivery, owed: OwedDelivery[]): void {
    this.present.queued.push({ delivery, owed })
  }

  /** Has what deliveries show be read with the commit, behind all locks. */
  readsShown(read: () => Promise<unknown>): void {
    this.reading = read
  }

  async readShown(): Promise<void> {
    await this.reading?.()
  }

  /** Has what is told from now on be part of a tale, which is to be joined; null for none. */
  tell(tale: Tale | null): void {
    this.present = tale ?? this.tale
  }

  /** Tells what parts have told, in the order given. */
  join(tales: readonly Tale[]): void {
    for (const { events, queued } of tales) {
      this.tale.events.push(...events)
      this.tale.queued.push(...queued)
    }
  }

  /** Notes that a delivery becomes due, of which other processes are to hear. */
  owes(delivery: OwedDelivery): void {
    this.owed.push(delivery)
  }

  get told(): Told {
    return { walletIds: this.changes, invoices: this.ownChanges, owed: this.owed, logged: this.logged }
  }

  /** Writes what the unit has gathered, and commits. `value` is what the unit answers. */
  async commit(value: unknown): Promise<void> {
    if (this.failure !== null) throw this.failure
    this.wallets.assertComplete()
    const { named } = await writeTale(this, this.tale)
    this.writeEffects()
    const answered = this.hasWritten ? [named, quiet(this.tellOthers(await this.readClock()))] : []
    this.session.takeWarning()
    this.value = value
    this.isCommitSent = this.hasWritten
    const { command } = await this.run(sql`COMMIT`)
    if (this.failure !== null) throw this.failure
    if (command !== 'COMMIT') throw new Error(`the database answered a commit with ${command}`)
    await Promise.all(answered)
    if (this.session.takeWarning() && this.hasWritten) {
      throw new FateUnknown(new Error('the database has not made a write durable on its replica'))
    }
  }

  /** Writes what other processes are to hear, and the transaction itself. */
  private async tellOthers(time: number): Promise<void> {
    this.logged = new Set(this.tale.events.map(({ owner }) => owner))
    const { walletIds, invoices, owed, logged } = this.told
    const isTold = walletIds.size + invoices.size + owed.length + logged.size > 0
    const sent = isTold ? this.written<{ logged: readonly string[] }>(logChange(this.told, this.writer, time)) : null
    this.write(sql`INSERT INTO committed (id, at) VALUES (${this.id}::uuid, ${time})`)
    this.logged = new Set((await sent)?.flatMap((row) => row.logged))
  }

  /** Writes what a commit would write, and waits for every answer, so that nothing is left that could fail. */
  async rehearse(): Promise<void> {
    this.wallets.assertComplete()
    await writeTale(this, this.tale)
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

  private writeEffects(): void {
    for (const statement of this.effects.take()) void this.send(statement)
  }

  private run<T = Row>(fragment: Fragment): Promise<Done<T>> {
    this.writeEffects()
    return this.send<T>(fragment)
  }

  private send<T = Row>(fragment: Fragment): Promise<Done<T>> {
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
