import type { DatabaseAddress } from '../../../base/database-address.js'
import { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import { DURABLE } from '../schema/promises.js'

/** Round trips that are timed. */
const ROUND_TRIPS = 20
const REPLICAS = 'synchronous_standby_names'
const VERSION = 'server_version'

/** How a database is, to a doctor. */
export interface DatabaseExamination {
  /** As the server tells it. */
  readonly version: string
  /** Median. */
  readonly roundTripMs: number
  /** How far its clock is ahead of this machine's, ms. */
  readonly aheadMs: number
  /** Settings that are off and must not be, so that nothing is lost that was answered. */
  readonly lossy: readonly string[]
  /** The replicas that a commit waits for, as the setting names them; empty for none, null where the engine has no such setting. */
  readonly replicas: string | null
}

/** Looks at a database, which need not be one of ours. Changes nothing. Rejects with `StorageUnavailable`. */
export async function examineDatabase(address: DatabaseAddress): Promise<DatabaseExamination> {
  const database = new Database({ address, newId: () => Buffer.alloc(16) })
  try {
    const names = [...DURABLE, REPLICAS, VERSION]
    const rows = await database.read<{ readonly name: string; readonly setting: string }>(
      sql`SELECT name, setting FROM pg_settings WHERE name = ANY(${names}::text[])`,
    )
    const settings = new Map(rows.map(({ name, setting }) => [name, setting]))
    const tookMs: number[] = []
    let aheadMs = 0
    for (let n = 0; n < ROUND_TRIPS; n += 1) {
      const startedAt = performance.now()
      const row = await database.readOne<{ readonly now: number }>(sql`SELECT ${database.now} AS now`)
      const took = performance.now() - startedAt
      tookMs.push(took)
      aheadMs = (row?.now ?? 0) + took / 2 - Date.now()
    }
    return {
      version: settings.get(VERSION) ?? 'unknown',
      roundTripMs: tookMs.sort((a, b) => a - b)[ROUND_TRIPS / 2] ?? 0,
      aheadMs,
      lossy: DURABLE.filter((name) => settings.get(name) === 'off'),
      replicas: settings.get(REPLICAS) ?? null,
    }
  } finally {
    await database.close()
  }
}
