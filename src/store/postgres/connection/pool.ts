import { QueueFull } from '../../refusals.js'
import { type Reach, Session } from './session.js'

/** Sessions that write. Each has one transaction at a time. */
export const WRITERS_MAX = 6
/** Sessions that read. Each has many statements on their way. */
export const READERS_MAX = 2
/**
 * Sessions that read pages of lists. A session answers in order: a look-up that a payment or a creation begins with would wait for the
 * pages before it.
 */
export const PAGE_READERS_MAX = 1
/** Writes that may wait for a session because clients asked for them (`store.ts`). */
export const REQUESTED_WRITES_MAX = 8192

interface Waiting {
  readonly resolve: (session: Session) => void
  readonly reject: (error: unknown) => void
}

/** Lends sessions for transactions, first come, first served. */
export class WriterPool {
  private idle: Session[] = []
  private open = 0
  private readonly waiting: Waiting[] = []
  private isClosed = false

  constructor(private readonly address: Reach) {}

  /** Rejects with `QueueFull` when too many wait and `isRequested`, or with why no session can be opened. */
  async take(isRequested: boolean): Promise<Session> {
    if (this.isClosed) throw new Error('the store is closed')
    if (isRequested && this.waiting.length >= REQUESTED_WRITES_MAX) throw new QueueFull()
    for (let session = this.idle.pop(); session !== undefined; session = this.idle.pop()) {
      if (!session.isLost) return session
      this.drop(session)
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      if (this.open < WRITERS_MAX) void this.openOne()
    })
  }

  /** Gives a session back. One that was lost, or whose transaction did not end, is `broken`. */
  give(session: Session, isBroken: boolean): void {
    if (!isBroken && !session.isLost) {
      this.lend(session)
      return
    }
    this.drop(session)
    if (this.waiting.length > 0) void this.openOne()
  }

  /** The server does not answer: refuses those who wait, and lends none of the idle sessions, which would not be answered either. */
  serverFellSilent(error: unknown): void {
    for (const { reject } of this.waiting.splice(0)) reject(error)
    for (const session of this.idle.splice(0)) this.drop(session)
  }

  /** Call it when no transaction is left. */
  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all(this.idle.map((session) => session.close()))
    this.idle = []
  }

  /** Lends a session to the next one in turn. */
  private lend(session: Session): void {
    const next = this.waiting.shift()
    if (next !== undefined) next.resolve(session)
    else if (this.isClosed) this.drop(session)
    else this.idle.push(session)
  }

  private drop(session: Session): void {
    this.open -= 1
    void session.close()
  }

  /** Opens a session for the next one in turn, who hears why when it cannot be opened. */
  private async openOne(): Promise<void> {
    this.open += 1
    try {
      this.lend(await Session.open(this.address))
    } catch (error) {
      this.open -= 1
      // Without any session nobody would ever give one back to those who wait.
      const unserved = this.waiting.splice(0, this.open === 0 ? this.waiting.length : 1)
      for (const { reject } of unserved) reject(error)
    }
  }
}

/** Shares sessions for statements that need no transaction. */
export class Readers {
  private readonly sessions: (Promise<Session> | undefined)[]
  private next = 0

  constructor(
    private readonly address: Reach,
    private readonly max: number,
  ) {
    this.sessions = new Array<undefined>(max).fill(undefined)
  }

  /** Opens all sessions. */
  async open(): Promise<void> {
    await Promise.all(this.sessions.map((_, at) => this.session(at)))
  }

  /** Whose turn the next statement is. */
  take(): number {
    this.next = (this.next + 1) % this.max
    return this.next
  }

  /** The session of a turn; another one when it was lost. */
  async session(at: number): Promise<Session> {
    const known = this.sessions[at]
    const session = await known?.catch(() => undefined)
    if (session !== undefined && !session.isLost) return session
    // Somebody else may have opened another meanwhile.
    if (this.sessions[at] === known) this.sessions[at] = Session.open(this.address)
    return this.sessions[at] as Promise<Session>
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.sessions)
    for (const one of opened) if (one.status === 'fulfilled') await one.value?.close()
  }
}
