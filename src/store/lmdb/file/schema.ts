import { OperatorError } from '../../../operator-error.js'
import type { MigrationControl, MigrationPlan } from '../../migration.js'
import { noteLoggedSince } from '../events/logged-since.js'
import { type Environment, isUnused, openExisting, openTables, type Tables } from '../tables/tables.js'
import { MIGRATE_2 } from './migrate-2.js'
import { MIGRATE_3 } from './migrate-3.js'
import { MIGRATE_4 } from './migrate-4.js'
import { MIGRATE_5 } from './migrate-5.js'
import { MIGRATE_6 } from './migrate-6.js'
import { MIGRATE_7 } from './migrate-7.js'
import { MIGRATE_8 } from './migrate-8.js'
import { MIGRATE_9 } from './migrate-9.js'
import { MIGRATE_10 } from './migrate-10.js'
import { MIGRATE_11 } from './migrate-11.js'
import { MIGRATE_12 } from './migrate-12.js'
import { MIGRATE_13 } from './migrate-13.js'
import { MIGRATE_14 } from './migrate-14.js'
import { MIGRATE_15 } from './migrate-15.js'
import { MIGRATE_16 } from './migrate-16.js'
import { MIGRATE_17 } from './migrate-17.js'
import { MIGRATE_18 } from './migrate-18.js'
import { type Migration, MigrationRun, positionIn, workOf } from './migration.js'

/**
 * The version of the layout in `tables.ts` and of the records in it. A change of either raises the version and adds a
 * migration, be it one without passes: an older program must not open what it cannot read.
 */
export const SCHEMA_VERSION = 19

export const VERSION_KEY = Buffer.from('schema-version')
export const MARK_KEY = Buffer.from('application')
export const MARK = Buffer.from('billhook')
/** What a probe of the disk writes and takes back. */
export const PROBE_KEY = Buffer.from('probe')
const VERSION_BYTES = 4

/** In order, one for each version that can be migrated. */
export const MIGRATIONS: readonly Migration[] = [
  MIGRATE_2,
  MIGRATE_3,
  MIGRATE_4,
  MIGRATE_5,
  MIGRATE_6,
  MIGRATE_7,
  MIGRATE_8,
  MIGRATE_9,
  MIGRATE_10,
  MIGRATE_11,
  MIGRATE_12,
  MIGRATE_13,
  MIGRATE_14,
  MIGRATE_15,
  MIGRATE_16,
  MIGRATE_17,
  MIGRATE_18,
]

/** What a program knows of versions; a test may be another program. */
interface Program {
  readonly version: number
  readonly migrations: readonly Migration[]
  /** Rows that a step of a migration takes; its own default when absent. */
  readonly stepRows?: number
}

const PRESENT: Program = { version: SCHEMA_VERSION, migrations: MIGRATIONS }

/**
 * Checks that the environment is Billhook's and of a version that this program knows, and opens the tables. Older data is
 * migrated when there is a `control` to report to. Throws `OperatorError` for anything else, with the data untouched: no
 * table is made before the check.
 */
export async function prepareSchema(
  root: Environment,
  directory: string,
  control: MigrationControl | null = null,
  program: Program = PRESENT,
): Promise<Tables> {
  const { version } = program
  const due = dueMigrations(root, directory, program)
  if (due === null) {
    // All in one commit: each table opened by itself would be a flush of its own, on the thread that loads the rest.
    return await root.transaction(() => {
      const tables = openTables(root)
      tables.meta.putSync(MARK_KEY, MARK)
      tables.meta.putSync(VERSION_KEY, versionBytes(version))
      noteLoggedSince(tables, 0)
      return tables
    })
  }
  const plan = planOf(root, directory, due, version)
  if (plan.from === plan.to) return openTables(root)
  if (control === null) {
    throw new OperatorError(
      `${directory} has data version ${plan.from}, this program works on version ${version}: ` +
        'make a backup, then run "billhook migrate" or start the service',
    )
  }
  control.begins(plan)
  const tables = openTables(root)
  const stamp = () => tables.meta.putSync(VERSION_KEY, versionBytes(version))
  await new MigrationRun(tables, directory, due, stamp, program.stepRows).run(control)
  control.finished()
  return tables
}

/** What is to be done to bring the data to the version of this program. Writes nothing. Throws as `prepareSchema` does. */
export function migrationPlan(root: Environment, directory: string): MigrationPlan {
  return planOf(root, directory, dueMigrations(root, directory, PRESENT) ?? [], PRESENT.version)
}

function planOf(root: Environment, directory: string, due: readonly Migration[], to: number): MigrationPlan {
  return { from: due[0]?.from ?? to, to, ...workOf(root, directory, due) }
}

/** The migrations that the data needs; null when there is no data yet. */
function dueMigrations(
  root: Environment,
  directory: string,
  { version, migrations }: Program,
): readonly Migration[] | null {
  const stored = storedVersion(root, directory)
  if (stored === null) return null
  if (stored > version) {
    throw new OperatorError(
      `${directory} was written by a newer Billhook (data version ${stored}, this program knows ${version}): ` +
        'start the newer version again, or restore a backup made before the upgrade',
    )
  }
  // A migration writes the version that it goes to before it begins.
  const found = positionIn(root)?.from ?? stored
  const due = migrations.filter(({ from }) => from >= found)
  if (due.some(({ from }, i) => from !== found + i) || due.length !== version - found) {
    throw new OperatorError(`${directory} has data version ${found}, which cannot be migrated`)
  }
  return due
}

/** The version of what the environment holds; null when it holds nothing yet. */
export function storedVersion(root: Environment, directory: string): number | null {
  if (isUnused(root)) return null
  const meta = openExisting(root, 'meta')
  const mark = meta?.get(MARK_KEY)
  const stored = meta?.get(VERSION_KEY)
  if (mark === undefined || !mark.equals(MARK) || stored === undefined || stored.length !== VERSION_BYTES) {
    throw new OperatorError(`${directory} holds a database that is not Billhook's`)
  }
  return stored.readUInt32BE(0)
}

function versionBytes(version: number): Buffer {
  const bytes = Buffer.alloc(VERSION_BYTES)
  bytes.writeUInt32BE(version, 0)
  return bytes
}
