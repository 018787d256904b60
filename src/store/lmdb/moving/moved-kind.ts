import type { Placed } from '../../moving/ports.js'
import type { MovedKind, MovedRecords } from '../../moving/records.js'
import type { Commit, Snapshot } from '../commit/commit.js'
import type { ReadTable } from '../tables/tables.js'

/** How the records of a kind are read from the tables, and written into them with every index on them. */
export interface LmdbMovedKind<K extends MovedKind> {
  /** The next records behind a place, at most `limit`; none behind the last one. */
  page(at: Snapshot, behind: string | null, limit: number): readonly Placed<MovedRecords[K]>[]
  write(commit: Commit, record: MovedRecords[K]): void
}

/** A page of a table whose rows are records, in the order of the keys. */
export function pageOfTable<T>(
  table: ReadTable,
  behind: string | null,
  limit: number,
  toRecord: (key: Buffer, value: Buffer) => T,
): readonly Placed<T>[] {
  const start = behind === null ? {} : { start: Buffer.from(behind, 'hex'), exclusiveStart: true }
  return [...table.getRange({ ...start, limit })].map(({ key, value }) => {
    // The binding's buffers are used again.
    const own = Buffer.from(key)
    return { record: toRecord(own, Buffer.from(value)), place: own.toString('hex') }
  })
}

/** At most one record. */
export function only<T>(behind: string | null, record: T | undefined): readonly Placed<T>[] {
  return behind !== null || record === undefined ? [] : [{ record, place: '' }]
}
