import { Connection, type ConnectionSettings } from './connection.js'

/** Idle connections kept, to all origins together. Above it the one idle for longest is closed. */
const KEPT_CONNECTIONS_MAX = 256

/**
 * How long a connection rests after its answer when the receiver did not announce that it keeps it. HTTP/1.1 assumes
 * that every receiver does, but some close it, and a delivery just written there would lose its one attempt. A receiver
 * that closes does so right after the answer, so a connection rests only once.
 */
export const REST_MS = 100

/** Connections to one origin that rest at the same time. Others are closed after their answer. */
export const RESTING_MAX = 8

interface Idle {
  readonly connection: Connection
  /** On the pool's monotonic clock. */
  readonly readyAtMs: number
}

/**
 * Connections for one request at a time. There are as many in use as the caller has requests in flight, and a bounded
 * number of idle ones. No request waits for another one, so a hanging receiver does not delay other requests to the
 * same origin.
 */
export class ConnectionPool {
  private readonly inUse = new Set<Connection>()
  /** The one idle for longest is first. */
  private readonly idle: Idle[] = []

  /** `monotonicMs` is a monotonic clock. */
  constructor(
    private readonly settings: ConnectionSettings,
    private readonly monotonicMs: () => number,
    private readonly keptMax: number = KEPT_CONNECTIONS_MAX,
  ) {}

  /** The most recently used connection to the origin that is idle and does not rest, or a new one. */
  take(origin: string): Connection {
    const nowMs = this.monotonicMs()
    const at = this.idle.findLastIndex(
      ({ connection, readyAtMs }) => connection.origin === origin && connection.isOpen && readyAtMs <= nowMs,
    )
    const [kept] = at === -1 ? [] : this.idle.splice(at, 1)
    const connection = kept?.connection ?? new Connection(origin, this.settings, (closed) => this.forget(closed))
    if (kept !== undefined) connection.isPersistent = true
    this.inUse.add(connection)
    return connection
  }

  /** Gives back a connection whose request was answered completely. */
  keep(connection: Connection): void {
    const { isOpen, isPersistent, origin } = connection
    if (!isOpen || (!isPersistent && this.restingTo(origin) >= RESTING_MAX)) {
      this.drop(connection)
      return
    }
    this.inUse.delete(connection)
    this.idle.push({ connection, readyAtMs: this.monotonicMs() + (isPersistent ? 0 : REST_MS) })
    if (this.idle.length > this.keptMax) this.idle.shift()?.connection.destroy()
  }

  /** Closes a connection whose request failed. */
  drop(connection: Connection): void {
    this.inUse.delete(connection)
    connection.destroy()
  }

  /** Closes every connection, also those in use. */
  destroy(): void {
    for (const { connection } of this.idle.splice(0)) connection.destroy()
    for (const connection of this.inUse) this.drop(connection)
  }

  private restingTo(origin: string): number {
    return this.idle.filter(({ connection }) => connection.origin === origin && !connection.isPersistent).length
  }

  /** The connection has closed by itself. One in use is given back by its user. */
  private forget(closed: Connection): void {
    const at = this.idle.findIndex(({ connection }) => connection === closed)
    if (at === -1) return
    this.idle.splice(at, 1)
    closed.destroy()
  }
}
