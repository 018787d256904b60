import type { DatabaseAddress } from '../../../base/database-address.js'
import { QueueFull } from '../../refusals.js'
import { Session } from './session.js'

/** Sessions that write. Each has one transaction at a time. */
const WRITERS_MAX = 6
/** Sessions that read. Each has many statements on their way. */
const READERS_MAX = 2
/** Writes that may wait for a session because clients asked for them (`store.ts`). */
const REQUESTED_WRITES_MAX = 8192

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

  constructor(private readonly address: DatabaseAddress) {}

  /** Rejects with `QueueFull` when too many wait and `isRequested`, or with why no session can be opened. */
  async take(isRequested: boolean): Promise<Session> {
    if (this.isClosed) throw new Error('the store is closed')
    if (isRequested && this.waiting.length >= REQUESTED_WRITES_MAX) throw new QueueFull()
    for (let session = this.idle.pop(); session !== undefined; session = this.idle.pop()) {
      if (!session.isLost) return session
      this.drop(session)
    }
    if (this.open >= WRITERS_MAX) {
      return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }))
    }
    return this.openOne()
  }

  /** Gives a session back. One that was lost, or whose transaction did not end, is `broken`. */
  give(session: Session, isBroken: boolean): void {
    if (isBroken || session.isLost) {
      this.drop(session)
      // The next one in turn opens one of its own, or hears why it cannot.
      const next = this.waiting.shift()
      if (next !== undefined) this.openOne().then(next.resolve, next.reject)
      return
    }
    const next = this.waiting.shift()
    if (next !== undefined) next.resolve(session)
    else this.idle.push(session)
  }

  /** Call it when no transaction is left. */
  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all(this.idle.map((session) => session.close()))
    this.idle = []
  }

  private drop(session: Session): void {
    this.open -= 1
    void session.close()
  }

  private async openOne(): Promise<Session> {
    this.open += 1
    try {
      return await Session.open(this.address)
    } catch (error) {
      this.open -= 1
      // Whoever waits would wait for ever, if this was the only session that could have been given back.
      for (const { reject } of this.open === 0 ? this.waiting.splice(0) : []) reject(error)
      throw error
    }
  }
}

/** Shares sessions for statements that need no transaction. */
export class Readers {
  private readonly sessions: (Promise<Session> | undefined)[] = new Array(READERS_MAX)
  private next = 0

  constructor(private readonly address: DatabaseAddress) {}

  /** The session for the next statement. */
  async session(): Promise<Session> {
    this.next = (this.next + 1) % READERS_MAX
    const at = this.next
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
