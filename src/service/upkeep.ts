import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { JOURNAL_FILE } from '../sandbox/sandbox-directory.js'
import { lmdbUpkeep } from '../store/lmdb/upkeep/upkeep.js'
import type { Upkeep } from '../store/upkeep.js'

export type { Upkeep, Violation } from '../store/upkeep.js'

/** The upkeep of the configured data directory, whether or not a service runs on it. */
export function openUpkeep({ dataDirectory }: Pick<Settings, 'dataDirectory'>, clock: Clock): Upkeep {
  const companions = existsSync(join(dataDirectory, JOURNAL_FILE)) ? [JOURNAL_FILE] : []
  return lmdbUpkeep(dataDirectory, companions, clock)
}
