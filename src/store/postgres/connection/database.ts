import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../../clock.js'
import type { CommitObserver } from '../../commit-observer.js'
import { isDamage } from '../../damage.js'
import { StorageUnavailable } from '../../refusals.js'
import { ChangeLog } from '../change-log.js'
import { FateUnknown, isLockTimeout, isRetried, isUnavailable, ServerSilent, unavailable } from './errors.js'
import { type FateLimits, Fates } from './fates.js'
import { HeldWallets } from './held-wallets.js'
import { Outage } from './outage.js'
import { PAGE_READERS_MAX, READERS_MAX, Readers, WriterPool } from './pool.js'
import { presentTime } from './present-time.js'
import { READ_PROBE, WRITE_PROBE } from './probe.js'
import { type Reach, type Row, Session } from './session.js'
import type { Fragment } from './sql.js'
import { Work } from './work.js'

/** Tries of one unit of work that others stood in the way of. */
const TRIES_MAX = 12
/** Upper bound of the pause before another try; it grows with the tries. */
const RETRY_PAUSE_MS = 20
export interface DatabaseOptions {
  readonly address: Reach
  /** Only for tests: otherwise the time is the database's. */
  readonly clock?: Clock
  /** 16 time-ordered bytes whose first 6 are `nowMs`. */
  readonly newId: (nowMs: number) => Buffer
  readonly commitObserver?: CommitObserver
  /** Called when a write was refused or lost, or the database cannot be read. */
  readonly onUnavailable?: (reason: StorageUnavailable) => void
  /** Called when the database met an error of its own, or of its machine, as with damaged data. */
  readonly onDamaged?: (error: unknown) => void
  /** Called when a lock in the database did not come. */
  readonly onLockTimeout?: (reason: StorageUnavailable) => void
  /** For tests. */
  readonly fateLimits?: FateLimits
}

/** A piece of work in one transaction. It may run more than once, so it changes nothing but through its `Work`. */
export type Unit<T> = (work: Work) => Promise<T>

/** Reads and writes of one process. */
export class Database {
  readonly changes = new ChangeLog((fragment) => this.read(fragment))
  private readonly writers: WriterPool
  private readonly readers: Readers
  private readonly pageReaders: Readers
  private readonly outage = new Outage((onReadable) => this.probe(onReadable))
  /** The session of a probe that is under way. */
  private probing: Session | null = null
  private running = 0
  private onIdle: (() => void) | null = null

  private readonly fates: Fates

  constructor(readonly options: DatabaseOptions) {
    this.writers = new WriterPool(options.address)
    this.fates = new Fates(this.writers, () => this.now, options.fateLimits)
    this.readers = new Readers(options.address, READERS_MAX)
    this.pageReaders = new Readers(options.address, PAGE_READERS_MAX)
  }

  /** Opens what reads, so that reads go on where no session can be opened any more: on a server that became read-only, or is full. */
  async openReaders(): Promise<void> {
    await Promise.all([this.readers.open(), this.pageReaders.open()])
  }

  /** The present time as a piece of SQL, Unix ms. */
  get now(): Fragment {
    return presentTime(this.options)
  }

  /** Reads what was committed. Asked once more where the connection was lost. Rejects with `StorageUnavailable`. */
  read<T = Row>(fragment: Fragment): Promise<readonly T[]> {
    return this.readOn(this.readers, fragment)
  }

  /** Reads much, as a page of a list does, or counts; what is read meanwhile does not wait for it. */
  readPage<T = Row>(fragment: Fragment): Promise<readonly T[]> {
    return this.readOn(this.pageReaders, fragment)
  }

  private async readOn<T>(readers: Readers, fragment: Fragment): Promise<readonly T[]> {
    // The same turn again, whose session is then a new one: the others may have been lost, too, and not know it yet.
    const turn = readers.take()
    for (let isSecond = false; ; isSecond = true) {
      this.outage.assertReadable()
      let session: Session | undefined
      try {
        session = await readers.session(turn)
        return (await session.run<T>(fragment)).rows
      } catch (error) {
        this.noteDamage(error)
        const isLost = session === undefined || session.isLost || isUnavailable(error)
        if (!isLost) throw error
        const cause = session?.silence ?? error
        const hangs = this.noteHanging(cause, 'read')
        // Those behind it on the same connection would wait for the same lock, one after the other.
        if (hangs) void session?.close()
        if (isSecond || hangs) throw this.refused(cause)
      }
    }
  }

  /** Reads at most one row. */
  async readOne<T = Row>(fragment: Fragment): Promise<T | undefined> {
    return (await this.read<T>(fragment))[0]
  }

  /**
   * Performs a unit of work in a transaction of its own, and answers when it is durable. Rejects with what the unit threw, with
   * `StorageUnavailable` when the database cannot write, or with `FateUnknown` when it did not say whether it has.
   */
  async write<T>(unit: Unit<T>, units = 1): Promise<T> {
    return this.admit(unit, units, false)
  }

  /** The same for what a client asked for: rejects with `QueueFull` when too much waits. */
  async writeRequested<T>(unit: Unit<T>): Promise<T> {
    return this.admit(unit, 1, true)
  }

  async close(): Promise<void> {
    await this.changes.close()
    if (this.running > 0) await new Promise<void>((resolve) => (this.onIdle = resolve))
    this.outage.close()
    void this.probing?.close()
    await this.writers.close()
    await this.readers.close()
    await this.pageReaders.close()
  }

  private async admit<T>(unit: Unit<T>, units: number, isRequested: boolean): Promise<T> {
    const { commitObserver: observer } = this.options
    this.running += 1
    const startedAt = observer?.now() ?? 0
    try {
      this.outage.assertWritable()
      const value = await this.tryUntilDone(unit, isRequested)
      observer?.committed(units, observer.now() - startedAt)
      return value
    } catch (error) {
      if (error instanceof StorageUnavailable) observer?.failed(units)
      throw error
    } finally {
      this.running -= 1
      if (this.running === 0) this.onIdle?.()
    }
  }

  private async tryUntilDone<T>(unit: Unit<T>, isRequested: boolean): Promise<T> {
    const fateUntil = this.fates.untilOfNow()
    const neededWallets = new Set<string>()
    let lostSessions = 0
    for (let tries = 1; ; tries += 1) {
      const session = await this.writers.take(isRequested).catch((error: unknown) => {
        if (isOurs(error)) throw error
        this.noteHanging(error, 'write')
        throw this.refused(error)
      })
      const work = new Work(session, this.options, randomUUID(), this.changes.writer, new HeldWallets(neededWallets))
      const outcome = await this.attempt(work, unit)
      const isLost = outcome.isBroken || ('error' in outcome && isUnavailable(outcome.error))
      this.writers.give(session, isLost)
      if ('value' in outcome) return this.told(work, outcome.value)
      const { error } = outcome
      this.noteDamage(error)
      const hangs = this.noteHanging(session.silence ?? error, 'write')
      if (error instanceof FateUnknown) throw this.noteRefusal(error)
      if (work.isCommitSent && outcome.isBroken) {
        if (await this.wasCommitted(work.id, error, fateUntil)) return this.told(work, work.value as T)
      } else if (hangs) {
        throw this.refused(error)
      }
      if (outcome.isBroken) {
        lostSessions += 1
        if (lostSessions > 1) throw this.refused(error)
      } else if (isUnavailable(error)) {
        throw this.refused(error)
      } else if (!isRetried(error) || tries === TRIES_MAX) {
        throw error
      }
      if (tries > 1) await pause(Math.random() * RETRY_PAUSE_MS * tries)
    }
  }

  /**
   * Notes that the database hangs, if that is what an error says: from now on others are refused at once. A server that answers
   * nothing is told at once, before anybody asks what became of a write.
   */
  private noteHanging(error: unknown, during: 'read' | 'write'): boolean {
    if (!(error instanceof ServerSilent) && !isLockTimeout(error)) return false
    const reason = unavailable(error)
    if (error instanceof ServerSilent) {
      this.writers.serverFellSilent(error)
      this.noteRefusal(reason)
      this.outage.begin(reason)
      return true
    }
    this.options.onLockTimeout?.(reason)
    // What keeps reads away is a lock of a whole table; a write may have waited for one row.
    if (during === 'read') this.outage.begin(reason)
    else this.outage.suspectWrites(reason)
    return true
  }

  private noteDamage(error: unknown): void {
    if (isDamage(error)) this.options.onDamaged?.(error)
  }

  private refused(error: unknown): StorageUnavailable {
    const reason = unavailable(error)
    // It may be of one row, and others go on.
    return isLockTimeout(error) ? reason : this.noteRefusal(reason)
  }

  private noteRefusal<E extends StorageUnavailable>(reason: E): E {
    this.options.onUnavailable?.(reason)
    return reason
  }

  /** Rejects while the database hangs. */
  private async probe(onReadable: () => void): Promise<void> {
    const session = await Session.open(this.options.address)
    this.probing = session
    try {
      await session.run(READ_PROBE)
      onReadable()
      const work = new Work(session, this.options, randomUUID(), this.changes.writer)
      work.begin()
      for (const fragment of WRITE_PROBE) work.write(fragment)
      await work.commit(undefined)
    } finally {
      this.probing = null
      await session.close()
    }
  }

  private async attempt<T>(work: Work, unit: Unit<T>): Promise<Attempt<T>> {
    try {
      work.begin()
      const value = await unit(work)
      await work.commit(value)
      return { value, isBroken: false }
    } catch (error) {
      return { error, isBroken: !(await work.rollBack()) }
    }
  }

  private told<T>(work: Work, value: T): T {
    this.changes.tell(work.told)
    return value
  }

  private async wasCommitted(id: string, cause: unknown, until: number): Promise<boolean> {
    const answer = await this.fates.wasCommitted(id, until)
    if (answer === null) throw this.noteRefusal(new FateUnknown(cause))
    return answer
  }
}

type Attempt<T> =
  | { readonly value: T; readonly isBroken: false }
  | { readonly error: unknown; readonly isBroken: boolean }

/** Whether an error is an answer of the store already. */
function isOurs(error: unknown): boolean {
  return error instanceof Error && (error.name === 'QueueFull' || error.name === 'StorageUnavailable')
}
