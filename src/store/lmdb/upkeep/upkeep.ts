import { closeSync, openSync } from 'node:fs'
import { setImmediate as otherWork } from 'node:timers/promises'
import type { Clock } from '../../../clock.js'
import { OperatorError } from '../../../operator-error.js'
import type { BackupMade, BackupRequest, CheckProgress, CheckResult, Upkeep, Violation } from '../../upkeep.js'
import { readPosition } from '../file/migration.js'
import { positionOfMove, unfinished } from '../file/move-position.js'
import { SCHEMA_VERSION } from '../file/schema.js'
import { writeBackup } from './backup.js'
import { readTrailer } from './backup-file.js'
import { checkInPieces } from './check.js'
import { type HeldData, holdData } from './held-data.js'
import { restoreBackup } from './restore.js'

/**
 * The upkeep of a data directory. It reads beside the service, as LMDB lets any process do, and needs nothing of it. `companions` are files
 * of the directory that belong to the data.
 */
export function lmdbUpkeep(directory: string, companions: readonly string[], clock: Clock): Upkeep {
  return {
    backup: (request) => backup({ directory, companions, clock }, request),
    madeAt,
    restore: restoreBackup,
    check: (onViolation) => check(directory, clock, onViolation),
  }
}

interface Place {
  readonly directory: string
  readonly companions: readonly string[]
  readonly clock: Clock
}

async function backup(place: Place, request: BackupRequest): Promise<BackupMade> {
  // What LMDB makes of a damaged page says little of it: then the pages are read.
  const held = await holdVersioned(place.directory).catch(() => holdVersioned(place.directory, () => otherWork()))
  try {
    assertWhole(place.directory, held)
    return await writeBackup({ ...place, version: held.version }, request)
  } finally {
    await held.close()
  }
}

async function holdVersioned(directory: string, rest?: () => Promise<void>) {
  const held = await holdData(directory, rest)
  const { version } = held
  if (version !== null) return { ...held, version }
  await held.close()
  throw new OperatorError(`the data directory ${directory} holds no data`)
}

function madeAt(file: string): number | null {
  let fd: number | null = null
  try {
    fd = openSync(file, 'r')
    const trailer = readTrailer(fd)
    return 'flaw' in trailer ? null : trailer.about.madeAt
  } catch {
    return null
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

function assertWhole(directory: string, { tables }: HeldData): void {
  const position = positionOfMove(tables.meta)
  if (position !== null) throw unfinished(directory, position)
}

async function* check(
  directory: string,
  clock: Clock,
  onViolation: (violation: Violation) => void,
): AsyncGenerator<CheckProgress, CheckResult> {
  const held = await holdData(directory, () => otherWork())
  try {
    if (held.version !== SCHEMA_VERSION) {
      throw new OperatorError(
        `the data directory ${directory} has data version ${held.version}, and this program checks version ${SCHEMA_VERSION}: ` +
          (held.version !== null && held.version > SCHEMA_VERSION
            ? 'check it with the newer version'
            : 'run "billhook migrate" or start the service first'),
      )
    }
    if (readPosition(held.tables.meta) !== null) {
      throw new OperatorError(
        `the data directory ${directory} is in the middle of a migration: run "billhook migrate" or start the service first`,
      )
    }
    assertWhole(directory, held)
    return yield* checkInPieces(held.tables, clock.now(), onViolation)
  } finally {
    await held.close()
  }
}
