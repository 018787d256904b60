import { StartError } from '../../../start-error.js'
import { type Commit, CommitLoop, type World } from '../commit/commit-loop.js'
import { type Environment, isUnused, openMeta, openTables, type Tables } from '../tables/tables.js'
import { migrateVersion2 } from './migrate-2.js'

/**
 * The version of the layout in `tables.ts` and of the records in it. A change of either adds a migration and raises
 * the version; all migrations that are due run in one transaction when the store is opened.
 */
export const SCHEMA_VERSION = 3

const VERSION_KEY = Buffer.from('schema-version')
const MARK_KEY = Buffer.from('application')
const MARK = Buffer.from('billhook')
const VERSION_BYTES = 4

/** Brings the store from version `from` to `from + 1`, inside a transaction. */
export interface Migration {
  readonly from: number
  apply(commit: Commit): void
}

/** In order, one for each version that can be migrated. */
const MIGRATIONS: readonly Migration[] = [{ from: 2, apply: migrateVersion2 }]

/** A migration makes no ids, and nothing that it writes is of its own time. */
const NO_TIME: World = {
  clock: { now: () => 0 },
  newId: () => {
    throw new Error('a migration makes no ids')
  },
}

/**
 * Checks that the environment is Billhook's and of a version this program knows, migrates an older one, and opens the
 * tables. Throws `StartError` for anything else, with the data untouched: no table is made before the check.
 */
export async function prepareSchema(
  root: Environment,
  directory: string,
  version: number = SCHEMA_VERSION,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Tables> {
  const found = storedVersion(root, directory)
  if (found === null) {
    // All in one commit: each table opened by itself would be a flush of its own, on the thread that loads the rest.
    return await root.transaction(() => {
      const tables = openTables(root)
      tables.meta.putSync(MARK_KEY, MARK)
      tables.meta.putSync(VERSION_KEY, versionBytes(version))
      return tables
    })
  }
  if (found > version) {
    throw new StartError(
      `${directory} was written by a newer Billhook (data version ${found}, this program knows ${version})`,
    )
  }
  const due = migrations.filter((migration) => migration.from >= found)
  if (due.some((migration, i) => migration.from !== found + i) || due.length !== version - found) {
    throw new StartError(`${directory} has data version ${found}, which cannot be migrated`)
  }
  const tables = openTables(root)
  if (found === version) return tables
  await new CommitLoop(tables, NO_TIME).run((commit) => {
    for (const migration of due) migration.apply(commit)
    tables.meta.putSync(VERSION_KEY, versionBytes(version))
  })
  return tables
}

/** The version of what the environment holds; null when it holds nothing yet. */
function storedVersion(root: Environment, directory: string): number | null {
  if (isUnused(root)) return null
  const meta = openMeta(root)
  const mark = meta?.get(MARK_KEY)
  const stored = meta?.get(VERSION_KEY)
  if (mark === undefined || !mark.equals(MARK) || stored === undefined || stored.length !== VERSION_BYTES) {
    throw new StartError(`${directory} holds a database that is not Billhook's`)
  }
  return stored.readUInt32BE(0)
}

function versionBytes(version: number): Buffer {
  const bytes = Buffer.alloc(VERSION_BYTES)
  bytes.writeUInt32BE(version, 0)
  return bytes
}
