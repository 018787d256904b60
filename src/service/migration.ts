import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { OperatorError } from '../operator-error.js'
import { planMigration } from '../store/lmdb/lmdb-store.js'
import type { MigrationControl, MigrationPlan } from '../store/migration.js'
import { assertHasData, keepsOwnData, openStore } from './open-store.js'

export type { MigrationPlan }

/**
 * What has to be done to bring the data to the version of this program. Throws `OperatorError` when another process has the
 * directory, when it holds no data, or when this program cannot read it.
 */
export async function dueMigration(settings: Settings): Promise<MigrationPlan> {
  if (!keepsOwnData(settings)) throw new OperatorError('a service brings a database to its version at its start')
  assertHasData(settings, '; name the right one with --data')
  return await planMigration(settings.dataDirectory)
}

/** Does it. Throws `StartStopped` when `control` stops it. */
export async function migrateData(settings: Settings, clock: Clock, control: MigrationControl): Promise<void> {
  const store = await openStore(settings, clock, { migration: control })
  await store.close()
}
