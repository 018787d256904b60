import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../clock.js'
import { StorageUnavailable } from '../../refusals.js'
import type { CommitObserver } from '../../store.js'
import { ChangeLog } from '../change-log.js'
import { FateUnknown, isRetried, isUnavailable, unavailable } from './errors.js'
import { Readers, WriterPool } from './pool.js'
import { presentTime } from './present-time.js'
import type { Reach, Row, Session } from './session.js'
import { type Fragment, sql } from './sql.js'
import { Work } from './work.js'

/** Tries of one unit of work that others stood in the way of. */
const TRIES_MAX = 12
/** Upper bound of the pause before another try; it grows with the tries. */
const RETRY_PAUSE_MS = 20
/** How long the database is asked what became of a write before its fate stays unknown. */
const FATE_ASKED_MS = 10_000
const FATE_PAUSE_MS = 100

export interface DatabaseOptions {
  readonly address: Reach
  /** Only for tests: otherwise the time is the database's. */
  readonly clock?: Clock
  /** 16 time-ordered bytes whose first 6 are `nowMs`. */
  readonly newId: (nowMs: number) => Buffer
  readonly commitObserver?: CommitObserver
  /** Called when a write was refused or lost. */
  readonly onCommitFailed?: (reason: StorageUnavailable) => void
}

/** A piece of work in one transaction. It may run more than once, so it changes nothing but through its `Work`. */
export type Unit<T> = (work: Work) => Promise<T>

/** Reads and writes of one process. */
export class Database {
  readonly changes = new ChangeLog((fragment) => this.read(fragment))
  private readonly writers: WriterPool
  private readonly readers: Readers
  private running = 0
  private onIdle: (() => void) | null = null

  constructor(readonly options: DatabaseOptions) {
    this.writers = new WriterPool(options.address)
    this.readers = new Readers(options.address)
  }

  /** The present time as a piece of SQL, Unix ms. */
  get now(): Fragment {
    return presentTime(this.options)
  }

  /** Reads what was committed. Asked once more where the connection was lost. Rejects with `StorageUnavailable`. */
  async read<T = Row>(fragment: Fragment): Promise<readonly T[]> {
    for (let isSecond = false; ; isSecond = true) {
      let session: Session | undefined
      try {
        session = await this.readers.session()
        return (await session.run<T>(fragment)).rows
      } catch (error) {
        const isLost = session === undefined || session.isLost || isUnavailable(error)
        if (!isLost) throw error
        if (isSecond) throw unavailable(error)
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
    await this.writers.close()
    await this.readers.close()
  }

  private async admit<T>(unit: Unit<T>, units: number, isRequested: boolean): Promise<T> {
    const { commitObserver: observer, onCommitFailed } = this.options
    this.running += 1
    const startedAt = observer?.now() ?? 0
    try {
      const value = await this.tryUntilDone(unit, isRequested)
      observer?.committed(units, observer.now() - startedAt)
      return value
    } catch (error) {
      if (error instanceof StorageUnavailable) {
        observer?.failed(units)
        onCommitFailed?.(error)
      }
      throw error
    } finally {
      this.running -= 1
      if (this.running === 0) this.onIdle?.()
    }
  }

  private async tryUntilDone<T>(unit: Unit<T>, isRequested: boolean): Promise<T> {
    let lostSessions = 0
    for (let tries = 1; ; tries += 1) {
      const session = await this.writers.take(isRequested).catch((error: unknown) => {
        throw isOurs(error) ? error : new StorageUnavailable(error)
      })
      const work = new Work(session, this.options, randomUUID(), this.changes.writer)
      const outcome = await this.attempt(work, unit)
      this.writers.give(session, outcome.isBroken || ('error' in outcome && isUnavailable(outcome.error)))
      if ('value' in outcome) return this.told(work, outcome.value)
      const { error } = outcome
      if (error instanceof FateUnknown) throw error
      if (work.isCommitSent && outcome.isBroken && (await this.wasCommitted(work.id, error))) {
        return this.told(work, work.value as T)
      }
      if (outcome.isBroken) {
        lostSessions += 1
        if (lostSessions > 1) throw new StorageUnavailable(error)
      } else if (isUnavailable(error)) {
        throw unavailable(error)
      } else if (!isRetried(error) || tries === TRIES_MAX) {
        throw error
      }
      if (tries > 1) await pause(Math.random() * RETRY_PAUSE_MS * tries)
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

  /**
   * Whether a transaction whose answer was lost has been committed. The question itself writes the id of the transaction, so
   * that one which is still under way can no longer commit.
   */
  private async wasCommitted(id: string, cause: unknown): Promise<boolean> {
    const until = performance.now() + FATE_ASKED_MS
    for (;;) {
      try {
        const session = await this.writers.take(false)
        let isBroken = true
        try {
          const { count } = await session.run(
            sql`INSERT INTO writes (id, at) VALUES (${id}::uuid, ${this.now}) ON CONFLICT DO NOTHING`,
          )
          isBroken = false
          return count === 0
        } finally {
          this.writers.give(session, isBroken)
        }
      } catch {
        if (performance.now() > until) throw new FateUnknown(cause)
        await pause(FATE_PAUSE_MS)
      }
    }
  }
}

type Attempt<T> =
  | { readonly value: T; readonly isBroken: false }
  | { readonly error: unknown; readonly isBroken: boolean }

/** Whether an error is an answer of the store already. */
function isOurs(error: unknown): boolean {
  return error instanceof Error && (error.name === 'QueueFull' || error.name === 'StorageUnavailable')
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
