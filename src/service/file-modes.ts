import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../log.js'

const PERMISSION_BITS = 0o777
/** Read and execute permission of the group and of others. */
const OPEN_TO_OTHERS = 0o055
const FILE_OPEN_TO_OTHERS = 0o077
const PRIVATE_FILE = 0o600

/**
 * Makes the files of the data directory private to the service's user, because older versions created them readable by
 * all. The directory belongs to the operator: if others can read or enter it, that is only logged.
 */
export function keepFilesPrivate(directory: string, log: Logger): void {
  const mode = statSync(directory).mode & PERMISSION_BITS
  if ((mode & OPEN_TO_OTHERS) !== 0) {
    log.warn({ directory, mode: mode.toString(8) }, 'other users can read or enter the data directory: chmod 700 it')
  }
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isFile()) keepPrivate(join(directory, entry.name), log)
  }
}

function keepPrivate(file: string, log: Logger): void {
  const mode = statSync(file).mode & PERMISSION_BITS
  if ((mode & FILE_OPEN_TO_OTHERS) === 0) return
  try {
    chmodSync(file, PRIVATE_FILE)
    log.info({ file, mode: mode.toString(8) }, 'a file that other users could use is now private')
  } catch (error) {
    log.warn({ err: error, file, mode: mode.toString(8) }, 'other users can use a file of the data: chmod 600 it')
  }
}
