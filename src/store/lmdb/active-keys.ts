import type { ApiKey } from '../../domain/api-key.js'
import { endOf, NUMBER_BYTES, numberKey, TIME_MAX, timeKey, under, WIDE_BYTES } from './bytes.js'
import { NOTHING, type Tables } from './tables.js'

const KEY_ID_BYTES = 8
const ROW_BYTES = NUMBER_BYTES + WIDE_BYTES + KEY_ID_BYTES
/** Expired rows removed with each new one: more than one, so that they never gather. */
const REMOVED_AT_ONCE = 2

/**
 * The keys of an owner that are not revoked, by when they expire, so that the active ones are counted without a look at
 * the others. A row of an expired key may stay; it does not count.
 */
export class ActiveKeys {
  constructor(private readonly tables: Tables) {}

  /** How many keys of the owner are active, at most `limit`. */
  count(ownerNo: number, nowMs: number, limit: number): number {
    const start = under(ownerNo, timeKey(nowMs))
    const end = endOf(numberKey(ownerNo), ROW_BYTES + 1)
    return [...this.tables.activeApiKeys.getKeys({ start, end, limit })].length
  }

  add(ownerNo: number, key: ApiKey, nowMs: number): void {
    this.removeExpired(ownerNo, nowMs)
    this.tables.activeApiKeys.putSync(rowKey(ownerNo, key), NOTHING)
  }

  remove(ownerNo: number, key: ApiKey): void {
    this.tables.activeApiKeys.removeSync(rowKey(ownerNo, key))
  }

  private removeExpired(ownerNo: number, nowMs: number): void {
    const range = { start: numberKey(ownerNo), end: under(ownerNo, timeKey(nowMs)), limit: REMOVED_AT_ONCE }
    for (const key of [...this.tables.activeApiKeys.getKeys(range)]) this.tables.activeApiKeys.removeSync(key)
  }
}

/** A key is active in the millisecond in which it expires (`authorise`), so that one sorts behind what is expired. */
function rowKey(ownerNo: number, { id, expires_at }: ApiKey): Buffer {
  return under(ownerNo, Buffer.concat([timeKey(expires_at ?? TIME_MAX), Buffer.from(id, 'hex')]))
}
