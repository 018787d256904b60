import { Connection, type ConnectionSettings } from './connection.js'

/** Idle connections kept for the next delivery, to all origins together. Above it the one idle for longest is closed. */
const KEPT_CONNECTIONS_MAX = 256

/**
 * Connections for one request at a time. There are as many in use as the caller has requests under way, and at most
 * `KEPT_CONNECTIONS_MAX` idle ones. No request waits behind another one: a receiver that hangs cannot hold up a request of
 * somebody else to the same origin.
 */
export class ConnectionPool {
  private readonly inUse = new Set<Connection>()
  /** All idle ones, the one idle for longest first. */
  private readonly idle = new Set<Connection>()
  /** The same by origin. */
  private readonly idleByOrigin = new Map<string, Connection[]>()

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly keptMax: number = KEPT_CONNECTIONS_MAX,
  ) {}

  /** An idle connection to the origin, the one used last, or a new one. */
  take(origin: string): Connection {
    const kept = this.idleByOrigin.get(origin)?.at(-1)
    if (kept !== undefined) this.forget(kept)
    const connection = kept ?? new Connection(origin, this.settings, (closed) => this.discard(closed))
    this.inUse.add(connection)
    return connection
  }

  /** Gives back a connection whose request was answered completely. */
  keep(connection: Connection): void {
    this.inUse.delete(connection)
    if (!connection.isOpen) {
      connection.destroy()
      return
    }
    this.idle.add(connection)
    const ofOrigin = this.idleByOrigin.get(connection.origin)
    if (ofOrigin === undefined) this.idleByOrigin.set(connection.origin, [connection])
    else ofOrigin.push(connection)
    if (this.idle.size <= this.keptMax) return
    for (const oldest of this.idle) {
      this.drop(oldest)
      break
    }
  }

  /** Ends a connection whose request failed. */
  drop(connection: Connection): void {
    this.inUse.delete(connection)
    this.forget(connection)
    connection.destroy()
  }

  /** Ends every connection, those in use too. */
  destroy(): void {
    for (const connection of [...this.idle, ...this.inUse]) this.drop(connection)
  }

  /** An idle connection has closed by itself; one in use is given back by its user. */
  private discard(connection: Connection): void {
    if (this.idle.has(connection)) this.drop(connection)
  }

  private forget(connection: Connection): void {
    if (!this.idle.delete(connection)) return
    const rest = this.idleByOrigin.get(connection.origin)?.filter((one) => one !== connection) ?? []
    if (rest.length === 0) this.idleByOrigin.delete(connection.origin)
    else this.idleByOrigin.set(connection.origin, rest)
  }
}
