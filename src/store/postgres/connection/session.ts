import pg from 'pg'
import type { DatabaseAddress } from '../../../base/database-address.js'
import { ServerSilent } from './errors.js'
import { compile, Fragment } from './sql.js'
import { COLUMN_TYPES, toWire } from './values.js'

/** A row, by the names of its columns. The sender of a statement knows its columns, and gives their types. */
export type Row = Readonly<Record<string, unknown>>

/** What a statement did. */
export interface Done<T> {
  readonly rows: readonly T[]
  /** `COMMIT`, `ROLLBACK`, `INSERT` and so on. */
  readonly command: string
  /** Rows that it wrote or answered. */
  readonly count: number
}

/** How long a server may take until a session can be used. */
const CONNECT_TIMEOUT_MS = 5000
/**
 * How long a statement may wait for a lock: longer than a process that was suspended can keep one
 * (`idle_in_transaction_session_timeout`).
 */
export const LOCK_TIMEOUT_MS = 6000
/**
 * How long a server may take for an answer while there are statements without one. A lock does not keep an answer back for so long,
 * so a server that takes longer hangs, or waits for a replica that does not come.
 */
export const ANSWER_TIMEOUT_MS = 7500
/** How long a server may take for the end of a connection. */
const CLOSE_TIMEOUT_MS = 1000
/** How long answers that have come may wait to be read, in a process that was suspended or busy. */
export const UNREAD_MS = 100
/**
 * A process that hangs must not keep what it has locked. Every look-up has an index, and a plan that was made while the tables were
 * small must not read them whole when they are large.
 */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  idle_in_transaction_session_timeout: '5000',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
}
const BEGIN = new Fragment(['BEGIN ISOLATION LEVEL READ COMMITTED'], [])
/** The database tells that it made a write durable here only, although it should have waited for a replica. */
const WARNING = '01000'

/** Where a session is opened, and how long it waits. */
export interface Reach extends DatabaseAddress {
  /** For statements that take longer than those of a service, and for tests. */
  readonly answerTimeoutMs?: number
  /** For tests. */
  readonly lockTimeoutMs?: number
  /** For tests. */
  readonly kept?: KeptConnections
}

/** Connections of sessions that were closed, for others of the same reach: they know their statements, and the server its tables. */
export interface KeptConnections {
  take(): pg.Client | undefined
  keep(client: pg.Client): void
}

/** What the driver does not declare. */
interface Connected {
  readonly connection: { readonly stream: { destroy(): void } }
}

/**
 * A connection to the database. What is sent is on its way at once, in order, and is answered in order; nothing waits for an
 * answer to be sent. A session that was lost stays lost.
 */
export class Session {
  private lost: Error | null = null
  private warned = false
  /** Statements without an answer yet. */
  private waiting = 0
  /** When the last answer came, or the first of these statements was sent. */
  private heardAt = 0
  private watching: NodeJS.Timeout | null = null
  /** `heardAt` when an answer was late; it is waited for until what has arrived was read. */
  private lastLookFor: number | null = null

  private constructor(
    private readonly client: pg.Client,
    /** Whether a pooler gives each transaction another session of the server, which knows no prepared statements. */
    private readonly isPooled: boolean,
    private readonly lockTimeoutMs: number,
    private readonly answerTimeoutMs: number,
    private readonly kept: KeptConnections | undefined,
  ) {
    client.on('error', (error) => {
      this.lost ??= error
    })
    client.on('end', () => {
      this.lost ??= new Error('the connection to the database has ended')
    })
    client.on('notice', ({ code }) => {
      if (code === WARNING) this.warned = true
    })
  }

  /** Connects to the first server that takes writes. Rejects with why the last one did not. */
  static async open(reach: Reach): Promise<Session> {
    let failure: unknown = new Error('there is no database server')
    for (const server of reach.servers) {
      try {
        return await Session.openOn(server, reach)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  private static async openOn(server: string, reach: Reach): Promise<Session> {
    const { isPooled, lockTimeoutMs = LOCK_TIMEOUT_MS, answerTimeoutMs = ANSWER_TIMEOUT_MS, kept } = reach
    const known = kept?.take()
    if (known !== undefined) return new Session(known, isPooled, lockTimeoutMs, answerTimeoutMs, kept)
    const client = new pg.Client({
      connectionString: server,
      types: COLUMN_TYPES,
      pipeline: true,
      keepAlive: true,
      application_name: 'billhook',
    })
    const session = new Session(client, isPooled, lockTimeoutMs, answerTimeoutMs, kept)
    const connectMs = Math.min(CONNECT_TIMEOUT_MS, answerTimeoutMs)
    const timer = setTimeout(() => session.fallSilent(connectMs), connectMs)
    try {
      await client.connect()
      const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only')
      if (rows[0]?.transaction_read_only !== 'off') throw new Error('the database server is read-only')
      // Those of a pooler are the role's, of which every session of the server has the same.
      if (isPooled) return session
      const settings = Object.entries({ ...SESSION_SETTINGS, lock_timeout: String(lockTimeoutMs) })
      await client.query(settings.map(([name, value]) => `SET ${name} = '${value}'`).join('; '))
      return session
    } catch (error) {
      const silence = session.silence
      await session.close()
      throw silence ?? error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Sends the beginning of a transaction. What it answers comes with a later statement, and so does its error. */
  begin(send: (fragment: Fragment) => void): void {
    send(BEGIN)
    // Behind a pooler nothing that a session was told stays with it.
    if (this.isPooled) send(new Fragment([`SET LOCAL lock_timeout = '${this.lockTimeoutMs}'`], []))
  }

  /** Sends a statement. */
  async run<T = Row>(fragment: Fragment): Promise<Done<T>> {
    if (this.lost !== null) throw this.lost
    const { name, text, values, elementTypes } = compile(fragment)
    const statement = {
      text,
      values: values.map((value, i) => toWire(value, elementTypes[i] ?? null)),
      ...(this.isPooled ? {} : { name }),
    }
    const { rows, command, rowCount } = await this.answer(this.client.query(statement))
    return { rows, command, count: rowCount ?? 0 }
  }

  get isLost(): boolean {
    return this.lost !== null
  }

  /** Why it was lost, when that is because the server does not answer; else null. */
  get silence(): ServerSilent | null {
    return this.lost instanceof ServerSilent ? this.lost : null
  }

  /** Whether the database has warned since the last call. */
  takeWarning(): boolean {
    const { warned } = this
    this.warned = false
    return warned
  }

  /** Ends the connection; what has no answer yet is lost. */
  async close(): Promise<void> {
    const isAtRest = this.lost === null && this.waiting === 0 && this.client.getTransactionStatus() === 'I'
    this.lost ??= new Error('the connection to the database was closed')
    if (isAtRest && this.kept !== undefined) {
      this.client.removeAllListeners()
      this.kept.keep(this.client)
      return
    }
    // The driver would wait for the answers, which a server that hangs never gives.
    if (this.waiting > 0) this.cut()
    // Such a server does not take part in the end of an idle connection either.
    const timer = setTimeout(() => this.cut(), CLOSE_TIMEOUT_MS)
    await this.client.end().catch(() => {})
    clearTimeout(timer)
  }

  /** Waits for the answer to a statement that was sent, unless the server gives none in time: then the session is lost. */
  private async answer<T>(sent: Promise<T>): Promise<T> {
    if (this.waiting === 0) this.heardAt = performance.now()
    this.waiting += 1
    this.watching ??= setTimeout(() => this.lookForAnswers(), this.answerTimeoutMs).unref()
    try {
      return await sent
    } finally {
      this.waiting -= 1
      this.heardAt = performance.now()
    }
  }

  private lookForAnswers(): void {
    this.watching = null
    if (this.waiting === 0 || this.lost !== null) return
    const leftMs = this.heardAt + this.answerTimeoutMs - performance.now()
    if (leftMs > 0) {
      this.lookAgain(leftMs)
    } else if (this.lastLookFor !== this.heardAt) {
      // Timers come before what has arrived: a process that wakes up reads first.
      this.lastLookFor = this.heardAt
      this.lookAgain(UNREAD_MS)
    } else {
      this.fallSilent(this.answerTimeoutMs)
    }
  }

  private lookAgain(delayMs: number): void {
    this.watching = setTimeout(() => this.lookForAnswers(), delayMs).unref()
  }

  private fallSilent(silentMs: number): void {
    this.lost ??= new ServerSilent(silentMs)
    this.cut()
  }

  private cut(): void {
    ;(this.client as unknown as Connected).connection.stream.destroy()
  }
}
