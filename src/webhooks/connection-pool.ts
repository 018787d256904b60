import { Connection, type ConnectionSettings } from './connection.js'
import { IdleConnections } from './idle-connections.js'

/** Idle connections kept, to all origins together. Above it the one idle for longest is closed. */
const KEPT_CONNECTIONS_MAX = 256

/**
 * Connections for one request at a time. There are as many in use as the caller has requests in flight, and at most
 * `KEPT_CONNECTIONS_MAX` idle ones. No request waits for another one, so a hanging receiver does not delay other
 * requests to the same origin.
 */
export class ConnectionPool {
  private readonly inUse = new Set<Connection>()
  /** All idle connections, the one idle for longest first. */
  private readonly idle = new Set<Connection>()
  private readonly idleByOrigin = new Map<string, IdleConnections>()

  /** `monotonicMs` is a monotonic clock. */
  constructor(
    private readonly settings: ConnectionSettings,
    private readonly monotonicMs: () => number,
    private readonly keptMax: number = KEPT_CONNECTIONS_MAX,
  ) {}

  /** An idle connection to the origin, or a new one. */
  take(origin: string): Connection {
    const connection = this.takeIdle(origin) ?? new Connection(origin, this.settings, (closed) => this.discard(closed))
    this.inUse.add(connection)
    return connection
  }

  /** Gives back a connection whose request was answered completely. */
  keep(connection: Connection): void {
    if (!connection.isOpen || !this.idleTo(connection.origin).add(connection, this.monotonicMs())) {
      this.drop(connection)
      return
    }
    this.inUse.delete(connection)
    this.idle.add(connection)
    if (this.idle.size <= this.keptMax) return
    for (const oldest of this.idle) {
      this.drop(oldest)
      break
    }
  }

  /** Closes a connection whose request failed. */
  drop(connection: Connection): void {
    this.inUse.delete(connection)
    this.forget(connection)
    connection.destroy()
  }

  /** Closes every connection, also those in use. */
  destroy(): void {
    for (const connection of [...this.idle, ...this.inUse]) this.drop(connection)
  }

  /** An idle connection has closed by itself. One in use is given back by its user. */
  private discard(connection: Connection): void {
    if (this.idle.has(connection)) this.drop(connection)
  }

  private takeIdle(origin: string): Connection | undefined {
    for (;;) {
      const kept = this.idleByOrigin.get(origin)?.take(this.monotonicMs())
      if (kept === undefined) return undefined
      this.forget(kept)
      if (kept.isOpen) return kept
      kept.destroy()
    }
  }

  private idleTo(origin: string): IdleConnections {
    const known = this.idleByOrigin.get(origin)
    if (known !== undefined) return known
    const idle = new IdleConnections()
    this.idleByOrigin.set(origin, idle)
    return idle
  }

  private forget(connection: Connection): void {
    if (!this.idle.delete(connection)) return
    const ofOrigin = this.idleByOrigin.get(connection.origin)
    ofOrigin?.remove(connection)
    if (ofOrigin?.isEmpty === true) this.idleByOrigin.delete(connection.origin)
  }
}
