import { BoundedMap } from '../../../base/bounded-map.js'
import { COUNT_BYTES, EVENT_KEY_BYTES, eventKey, positionOf, removedTo } from '../events/event-log.js'
import { loggedSince } from '../events/logged-since.js'
import { endOf, numberKey, type OwnerNo, TIME_MAX } from '../tables/keys.js'
import type { HeldTables } from './held-data.js'

/** Owners whose logs are looked at again and again. */
const OWNERS_KEPT = 32_768
/** Events of one millisecond that are looked up, which is quicker than a search among all. */
const LOOKED_UP = 8
/** Each that is missing takes a search to the end of its log. */
const MISSING_MAX = 20

/** The logs of owners, in which records have their events. */
export class LoggedEvents {
  private readonly removedToMs = new BoundedMap<OwnerNo, number>(OWNERS_KEPT)
  private readonly sinceMs: number
  private missing = 0

  constructor(private readonly tables: HeldTables) {
    const sinceMs = loggedSince(tables.meta)
    // The end of all times stands for every later one: an earlier version took records of the far future.
    this.sinceMs = sinceMs === null || sinceMs === TIME_MAX ? Number.POSITIVE_INFINITY : sinceMs
  }

  /** Whether what happened at a time, Unix ms, is an event. */
  isLogged(timeMs: number): boolean {
    return timeMs >= this.sinceMs
  }

  /**
   * Whether the log of an owner must have an event of this time or later, and has not. An event is not of an earlier time than
   * its change; it is of a later one where the clock was set back, or an expiry was decided late.
   */
  isMissing(ownerNo: OwnerNo, timeMs: number, is: (event: Buffer) => boolean): boolean {
    const { ownerEvents } = this.tables
    if (ownerEvents === undefined || !this.isLogged(timeMs) || this.missing === MISSING_MAX) return false
    if (timeMs <= this.removedTo(ownerNo)) return false
    const key = eventKey(ownerNo, { timeMs, count: 0 })
    for (let count = 0; count < LOOKED_UP; count += 1) {
      key.writeUInt16BE(count, EVENT_KEY_BYTES - COUNT_BYTES)
      const event = ownerEvents.get(key)
      if (event === undefined) break
      if (is(event)) return false
    }
    const end = endOf(numberKey(ownerNo), EVENT_KEY_BYTES + 1)
    for (const { value } of ownerEvents.getRange({ start: eventKey(ownerNo, { timeMs, count: 0 }), end })) {
      if (is(value)) return false
    }
    this.missing += 1
    return true
  }

  /** Whether so many are missing that no more were looked for. */
  isGivenUp(): boolean {
    return this.missing === MISSING_MAX
  }

  private removedTo(ownerNo: OwnerNo): number {
    const known = this.removedToMs.get(ownerNo)
    if (known !== undefined) return known
    const { ownerEvents } = this.tables
    const id = ownerEvents === undefined ? undefined : removedTo(ownerEvents, ownerNo)
    const timeMs = id === undefined ? -1 : positionOf(id).timeMs
    this.removedToMs.set(ownerNo, timeMs)
    return timeMs
  }
}
