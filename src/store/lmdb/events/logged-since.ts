import type { SilentWork } from '../../rules/import-outcomes.js'
import type { Commit } from '../commit/commit.js'
import { endOf, ID_BYTES, timeKey, timeOfId, WIDE_BYTES } from '../tables/keys.js'
import { lastKey, NOTHING, type ReadTable, type Tables } from '../tables/tables.js'

/*
 * From when on every change of the records is an event: a check calls for those. Records of before the first logs have none,
 * and imports write none of their own.
 */

export const LOGGED_SINCE_KEY = Buffer.from('logged-since')

/** Unix ms; null when it is not known. */
export function loggedSince(meta: Pick<ReadTable, 'get'> | undefined): number | null {
  return meta?.get(LOGGED_SINCE_KEY)?.readUIntBE(0, WIDE_BYTES) ?? null
}

export function noteLoggedSince({ meta }: Pick<Tables, 'meta'>, timeMs: number): void {
  meta.putSync(LOGGED_SINCE_KEY, timeKey(timeMs))
}

/** Notes it for data of a program that did not. Its newest invoice may be of a later time than a clock that was set back. */
export function beginLogging(tables: Tables, nowMs: number): void {
  const newest = lastKey(tables.invoices, endOf(NOTHING, ID_BYTES), NOTHING)
  noteLoggedSince(tables, Math.max(nowMs, newest === undefined ? 0 : timeOfId(newest)) + 1)
}

/** What a commit does to note it, and to tell nobody what it does. */
export function logWorkOn(commit: Commit): SilentWork {
  const { tables } = commit
  return {
    readClock: () => commit.nowMs,
    logFrom(timeMs) {
      if ((loggedSince(tables.meta) ?? 0) < timeMs) noteLoggedSince(tables, timeMs)
    },
    silence: () => commit.silence(),
  }
}
