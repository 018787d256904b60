import type { ApiKey } from '../../../domain/api-key.js'
import type { Commit } from '../commit/commit.js'
import { endOf, NUMBER_BYTES, numberKey, type OwnerNo, TIME_MAX, timeKey, under, WIDE_BYTES } from '../tables/keys.js'
import { NOTHING, removeKeys } from '../tables/tables.js'

/*
 * The keys of an owner that are not revoked, by when they expire, so that the active ones are counted without reading the
 * others. The row of an expired key may stay; it does not count.
 */

const KEY_ID_BYTES = 8
const ROW_BYTES = NUMBER_BYTES + WIDE_BYTES + KEY_ID_BYTES
/** Expired rows removed with each new one: more than one, so that they never gather. */
const REMOVED_AT_ONCE = 2

/** How many keys of the owner are active, at most `limit`. */
export function countActiveKeys({ tables, nowMs }: Commit, ownerNo: OwnerNo, limit: number): number {
  const start = under(ownerNo, timeKey(nowMs))
  const end = endOf(numberKey(ownerNo), ROW_BYTES + 1)
  return [...tables.activeApiKeys.getKeys({ start, end, limit })].length
}

export function addActiveKey({ tables, nowMs }: Commit, ownerNo: OwnerNo, key: ApiKey): void {
  const expired = { start: numberKey(ownerNo), end: under(ownerNo, timeKey(nowMs)), limit: REMOVED_AT_ONCE }
  removeKeys(tables.activeApiKeys, expired)
  tables.activeApiKeys.putSync(activeKeyOf(ownerNo, key), NOTHING)
}

export function removeActiveKey({ tables }: Commit, ownerNo: OwnerNo, key: ApiKey): void {
  tables.activeApiKeys.removeSync(activeKeyOf(ownerNo, key))
}

/** A key is active in the millisecond in which it expires (`authorise`), so it sorts behind those that have expired. */
export function activeKeyOf(ownerNo: OwnerNo, { id, expires_at }: ApiKey): Buffer {
  return under(ownerNo, Buffer.concat([timeKey(expires_at ?? TIME_MAX), Buffer.from(id, 'hex')]))
}
