import type { Connection } from './connection.js'

/**
 * How long a connection rests after its answer when the receiver did not say that it keeps it. HTTP/1.1 assumes so of
 * every receiver, but some close all the same, and a delivery that was just written there would have had its one attempt.
 * Who closes does so right after the answer: a connection that is still open after its first rest needs no other.
 */
export const REST_MS = 100

/** Connections that rest at once. What finds no room is closed after its answer. */
export const RESTING_MAX = 8

/** The connections to one origin that nobody uses. */
export class IdleConnections {
  /** The one used last is last. */
  private readonly ready: Connection[] = []
  /** The first to have rested is first. */
  private readonly resting: { readonly connection: Connection; readonly untilMs: number }[] = []

  get isEmpty(): boolean {
    return this.ready.length === 0 && this.resting.length === 0
  }

  /** False when there is no room for it. `nowMs` is on a clock that is never set. */
  add(connection: Connection, nowMs: number): boolean {
    if (connection.isPersistent) this.ready.push(connection)
    else if (this.resting.length < RESTING_MAX) this.resting.push({ connection, untilMs: nowMs + REST_MS })
    else return false
    return true
  }

  /** The one used last of those that may be used, taken out. */
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
