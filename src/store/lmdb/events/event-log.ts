import { answeredNow } from '../../rules/asking.js'
import { passedOver } from '../../rules/queue-events.js'
import { type OldEvents, removeOldEvents } from '../../rules/remove-events.js'
import type { Commit, Reader } from '../commit/commit.js'
import { endOf, NUMBER_BYTES, numberKey, type OwnerNo, timeKey, under, WIDE_BYTES } from '../tables/keys.js'
import { firstKey, lastKey, type ReadTable, removeKeys } from '../tables/tables.js'
import { cursorOf, followers, putCursor } from './event-cursors.js'
import type { EventPosition } from './event-position.js'

/*
 * What happened to each owner, in order (decisions 14). An event is written in the transaction of what it tells, and its id is
 * greater than those of the owner's earlier events, so a reader that goes on behind an id misses nothing and reads nothing twice:
 *
 *     event   owner no (4) │ time (6) │ count within it (2) → event
 *     head    owner no (4) → the id of the last event that was removed
 *
 * The ids of a clock that was set back go on from the last one. After a restore of a backup new ids are still greater than
 * all that readers have seen, because they begin with the time.
 */

export const COUNT_BYTES = 2
const COUNT_MAX = 0xffff
/** Time and count. */
export const EVENT_ID_BYTES = WIDE_BYTES + COUNT_BYTES
export const EVENT_KEY_BYTES = NUMBER_BYTES + EVENT_ID_BYTES
const FIRST_ID = Buffer.alloc(EVENT_ID_BYTES)
const BEHIND_ALL = Buffer.alloc(EVENT_KEY_BYTES + 1, 0xff)

/** Appends an event to the log of an owner, unless the commit is silent. */
export function logEvent(commit: Commit, ownerNo: OwnerNo, event: Buffer): void {
  if (commit.isSilent) return
  const { caches, nowMs, tables } = commit
  const follower = followers(commit).get(ownerNo)
  if (follower !== undefined) commit.logged(follower)
  const position = next(caches.lastEvents.get(ownerNo) ?? lastOf(tables.ownerEvents, ownerNo), nowMs)
  caches.lastEvents.set(ownerNo, position)
  tables.ownerEvents.putSync(eventKey(ownerNo, position), event)
}

/** Puts an event of another store in its place in the log of its owner, be it before others. */
export function insertEvent(commit: Commit, ownerNo: OwnerNo, id: Buffer, event: Buffer): void {
  commit.tables.ownerEvents.putSync(under(ownerNo, id), event)
  goOnBehind(commit, ownerNo, id)
}

/** Has the log of an owner begin behind an id. No event stands before it. */
export function beginBehind(commit: Commit, ownerNo: OwnerNo, id: Buffer): void {
  commit.tables.ownerEvents.putSync(numberKey(ownerNo), id)
  goOnBehind(commit, ownerNo, id)
}

/** The cache must not name a place before the end of the log. */
function goOnBehind({ caches }: Commit, ownerNo: OwnerNo, id: Buffer): void {
  const cached = caches.lastEvents.get(ownerNo)
  if (cached !== undefined && Buffer.compare(idOf(cached), id) < 0) caches.lastEvents.set(ownerNo, positionOf(id))
}

/** Removes at most `limit` events from before `timeMs`, as `removeOldEvents` does. Answers how many. */
export function removeEventsBefore(commit: Commit, timeMs: number, limit: number): number {
  const { caches, tables } = commit
  const { ownerEvents } = tables
  const logs: OldEvents<OwnerNo> = {
    ownerBehind: (ownerNo) => {
      const key = firstKey(ownerEvents, numberKey(ownerNo === null ? 0 : ownerNo + 1), BEHIND_ALL)
      return key === undefined ? null : (key.readUInt32BE(0) as OwnerNo)
    },
    remove: (ownerNo, most) => {
      const range = { start: under(ownerNo, FIRST_ID), end: under(ownerNo, timeKey(timeMs)), limit: most }
      const gone = removeKeys(ownerEvents, range)
      const last = gone.at(-1)
      if (last !== undefined) ownerEvents.putSync(numberKey(ownerNo), Buffer.from(last.subarray(NUMBER_BYTES)))
      return gone.length
    },
  }
  const { removed, doneTo } = answeredNow(removeOldEvents(logs, caches.eventsRemovedTo, limit))
  caches.eventsRemovedTo = doneTo
  return removed
}

/** The events of an owner behind an id, oldest first; null begins with the first one. */
export function eventsBehind({ tables }: Reader, ownerNo: OwnerNo, id: Buffer | null, limit: number) {
  const start = id === null ? under(ownerNo, FIRST_ID) : Buffer.concat([under(ownerNo, id), Buffer.of(0)])
  return tables.ownerEvents.getRange({ start, end: endOf(numberKey(ownerNo), EVENT_KEY_BYTES + 1), limit })
}

/** The id of the last event of an owner, removed ones included; null when there was none. */
export function lastEventOf({ tables }: Reader, ownerNo: OwnerNo): Buffer | null {
  const last = lastOf(tables.ownerEvents, ownerNo)
  return last === undefined ? null : idOf(last)
}

/** Before an event of another store is put behind those that were sent: it is not sent itself. */
export function passOver(commit: Commit, ownerNo: OwnerNo, id: Buffer): void {
  const cursor = cursorOf(commit, ownerNo)
  if (cursor === undefined) return
  const after = Buffer.from(cursor.after, 'hex')
  const [next] = eventsBehind(commit, ownerNo, after, 1)
  const isNext = next === undefined || Buffer.compare(next.key.subarray(NUMBER_BYTES), id) > 0
  const passed = passedOver(cursor, id.toString('hex'), isNext)
  if (passed !== null) putCursor(commit, ownerNo, { owner: cursor.owner, ...passed })
}

/** The id of the last event of an owner that was removed; undefined when none was. */
export function removedTo(table: ReadTable, ownerNo: OwnerNo): Buffer | undefined {
  return table.get(numberKey(ownerNo))
}

export function positionOfKey(key: Buffer): EventPosition {
  return positionAt(key, NUMBER_BYTES)
}

/** The id of the event with this key, as clients see it. */
export function idTextOfKey(key: Buffer): string {
  return key.toString('hex', NUMBER_BYTES, EVENT_KEY_BYTES)
}

function lastOf(table: ReadTable, ownerNo: OwnerNo): EventPosition | undefined {
  const head = numberKey(ownerNo)
  const key = lastKey(table, endOf(head, EVENT_KEY_BYTES), head)
  if (key !== undefined && key.length === EVENT_KEY_BYTES) return positionOfKey(key)
  // All of them have been removed: not even then an id comes again.
  const id = removedTo(table, ownerNo)
  return id === undefined ? undefined : positionOf(id)
}

function next(last: EventPosition | undefined, nowMs: number): EventPosition {
  if (last === undefined || last.timeMs < nowMs) return { timeMs: nowMs, count: 0 }
  return last.count < COUNT_MAX ? { timeMs: last.timeMs, count: last.count + 1 } : { timeMs: last.timeMs + 1, count: 0 }
}

/** The position that an id stands for. */
export function positionOf(id: Buffer): EventPosition {
  return positionAt(id, 0)
}

function positionAt(bytes: Buffer, offset: number): EventPosition {
  return { timeMs: bytes.readUIntBE(offset, WIDE_BYTES), count: bytes.readUInt16BE(offset + WIDE_BYTES) }
}

export function eventKey(ownerNo: OwnerNo, position: EventPosition): Buffer {
  return under(ownerNo, idOf(position))
}

function idOf({ timeMs, count }: EventPosition): Buffer {
  const id = Buffer.allocUnsafe(EVENT_ID_BYTES)
  id.writeUIntBE(timeMs, 0, WIDE_BYTES)
  id.writeUInt16BE(count, WIDE_BYTES)
  return id
}
