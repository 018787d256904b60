import type { Connection } from './connection.js'

/**
 * How long a connection rests after its answer when the receiver did not announce that it keeps it. HTTP/1.1 assumes
 * that every receiver does, but some close it, and a delivery just written there would lose its one attempt. A receiver
 * that closes does so right after the answer, so a connection rests only once.
 */
export const REST_MS = 100

/** Connections that rest at the same time. Others are closed after their answer. */
export const RESTING_MAX = 8

/** The idle connections to one origin. */
export class IdleConnections {
  /** The one used most recently is last. */
  private readonly ready: Connection[] = []
  /** The one that rests for longest is first. */
  private readonly resting: { readonly connection: Connection; readonly untilMs: number }[] = []

  get isEmpty(): boolean {
    return this.ready.length === 0 && this.resting.length === 0
  }

  /** False when there is no room for it. `nowMs` is on a monotonic clock. */
  add(connection: Connection, nowMs: number): boolean {
    if (connection.isPersistent) this.ready.push(connection)
    else if (this.resting.length < RESTING_MAX) this.resting.push({ connection, untilMs: nowMs + REST_MS })
    else return false
    return true
  }

  /** Takes out the most recently used connection that is ready. */
  take(nowMs: number): Connection | undefined {
    const ready = this.ready.pop()
    const [first] = this.resting
    if (ready !== undefined || first === undefined || first.untilMs > nowMs) return ready
    this.resting.shift()
    first.connection.isPersistent = true
    return first.connection
  }

  remove(connection: Connection): void {
    const readyAt = this.ready.indexOf(connection)
    if (readyAt >= 0) this.ready.splice(readyAt, 1)
    const restingAt = this.resting.findIndex((one) => one.connection === connection)
    if (restingAt >= 0) this.resting.splice(restingAt, 1)
  }
}
