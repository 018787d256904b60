import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type DatabaseAddress, parseDatabaseAddress } from '../base/database-address.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { OperatorError } from '../operator-error.js'
import { JOURNAL_FILE } from '../sandbox/sandbox-directory.js'
import { lmdbUpkeep } from '../store/lmdb/upkeep/upkeep.js'
import type { Upkeep } from '../store/upkeep.js'
import { keepsOwnData } from './open-store.js'

export type { Upkeep, Violation } from '../store/upkeep.js'

const OWN_TOOLS = 'the state is in a database: back it up with the tools of the database'

/** The upkeep of the configured store, whether or not a service runs on it. A database is backed up and restored by other programs. */
export function openUpkeep({ store, dataDirectory }: Pick<Settings, 'store' | 'dataDirectory'>, clock: Clock): Upkeep {
  const address = keepsOwnData({ store }) ? undefined : parseDatabaseAddress(store)
  if (address !== undefined) return databaseUpkeep(address)
  const companions = existsSync(join(dataDirectory, JOURNAL_FILE)) ? [JOURNAL_FILE] : []
  return lmdbUpkeep(dataDirectory, companions, clock)
}

/** Throws `OperatorError` when backups are scheduled of a database. */
export function assertBacksUp(settings: Pick<Settings, 'store'>): void {
  if (!keepsOwnData(settings)) throw new OperatorError(OWN_TOOLS)
}

function databaseUpkeep(address: DatabaseAddress): Upkeep {
  return {
    backup: () => Promise.reject(new OperatorError(OWN_TOOLS)),
    restore: () => Promise.reject(new OperatorError(OWN_TOOLS)),
    madeAt: () => null,
    async *check(onViolation) {
      const { checkDatabase } = await import('../store/postgres/upkeep/check.js')
      return yield* checkDatabase(address, onViolation)
    },
  }
}
