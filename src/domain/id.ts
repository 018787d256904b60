/*
 * The ids that this service gives are 16 bytes in hex, of which the first 6 are the time. So they are in the order of their times.
 * Those of events are shorter and begin in the same way.
 */

export const ID = /^[0-9a-f]{32}$/

/** The id of an invoice. One of another store may have capital letters, and begin with no time. */
export const INVOICE_ID = /^[0-9a-f]{32}$/i

const ID_DIGITS = 32
/** Hex digits of the time that an id begins with. */
export const TIME_DIGITS = 12

/** The time that an id begins with, Unix ms. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, TIME_DIGITS), 16)
}

/** What ids of a time, Unix ms, begin with. */
export function beginningOfIds(timeMs: number): string {
  return timeMs.toString(16).padStart(TIME_DIGITS, '0')
}

/** Before all ids of a time, Unix ms. */
export function firstIdAt(timeMs: number): string {
  return beginningOfIds(Math.max(0, timeMs)).padEnd(ID_DIGITS, '0')
}
