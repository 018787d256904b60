import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { JOURNAL_FILE } from '../sandbox/sandbox-directory.js'
import { StartError } from '../start-error.js'
import { lmdbUpkeep } from '../store/lmdb/upkeep/upkeep.js'
import type { Upkeep } from '../store/upkeep.js'
import { keepsOwnData } from './open-store.js'

export type { Upkeep, Violation } from '../store/upkeep.js'

/**
 * The upkeep of the configured data directory, whether or not a service runs on it. Throws `StartError` where a database has the
 * state: other programs back it up.
 */
export function openUpkeep({ store, dataDirectory }: Pick<Settings, 'store' | 'dataDirectory'>, clock: Clock): Upkeep {
  if (!keepsOwnData({ store })) {
    throw new StartError('the state is in a database: back it up and check it with the tools of the database')
  }
  const companions = existsSync(join(dataDirectory, JOURNAL_FILE)) ? [JOURNAL_FILE] : []
  return lmdbUpkeep(dataDirectory, companions, clock)
}
