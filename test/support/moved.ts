import assert from 'node:assert/strict'
import { parseDatabaseAddress } from '../../src/base/database-address.js'
import { openLmdbSource, openLmdbTarget } from '../../src/store/lmdb/moving/lmdb-move.js'
import { type MoveControl, moveAll } from '../../src/store/moving/move.js'
import type { MoveSource, MoveTarget } from '../../src/store/moving/ports.js'
import { openPostgresSource, openPostgresTarget } from '../../src/store/postgres/moving/postgres-move.js'
import { ManualClock } from './manual-clock.js'
import { postgresStoreOptions } from './postgres-harness.js'

/** A directory or the address of a database. */
function isDatabase(place: string): boolean {
  return place.startsWith('postgres://')
}

export function openSource(place: string): Promise<MoveSource> {
  if (!isDatabase(place)) return openLmdbSource(place, new ManualClock())
  const address = parseDatabaseAddress(place)
  assert.ok(address !== undefined)
  return openPostgresSource(address)
}

export function openTarget(place: string): Promise<MoveTarget> {
  return isDatabase(place)
    ? openPostgresTarget(postgresStoreOptions(place), 'real')
    : openLmdbTarget(place, new ManualClock())
}

export const IN_SILENCE: MoveControl = { at() {}, stop: new AbortController().signal }

/** Moves all data from one place to another. Answers the number of records. */
export async function moved(from: string, to: string, control: MoveControl = IN_SILENCE): Promise<number> {
  const source = await openSource(from)
  try {
    const target = await openTarget(to)
    try {
      return await moveAll(source, target, control)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
