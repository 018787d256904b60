import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { StartError } from '../start-error.js'
import { DATA_FILE } from '../store/lmdb/file/data-file.js'
import { planMigration } from '../store/lmdb/lmdb-store.js'
import type { MigrationControl, MigrationPlan } from '../store/store.js'
import { openStore } from './open-store.js'

export type { MigrationPlan }

/**
 * What has to be done to bring the data to the version of this program. Throws `StartError` when another process has the
 * directory, when it holds no data, or when this program cannot read it.
 */
export async function dueMigration({ dataDirectory }: Settings): Promise<MigrationPlan> {
  if (!existsSync(join(dataDirectory, DATA_FILE))) {
    throw new StartError(`the data directory ${dataDirectory} holds no data; name the right one with --data`)
  }
  return await planMigration(dataDirectory)
}

/** Does it. Throws `StartStopped` when `control` stops it. */
export async function migrateData(settings: Settings, clock: Clock, control: MigrationControl): Promise<void> {
  const store = await openStore(settings, clock, { migration: control })
  await store.close()
}
