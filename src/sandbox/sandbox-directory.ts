import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../operator-error.js'

/** The sandbox's ledger journal. A data directory that has it belongs to a sandbox. */
export const JOURNAL_FILE = 'sandbox-ledger.jsonl'

/** Every used data directory has it. */
const DATABASE_FILE = 'data.mdb'

/** Whether a sandbox has used the directory. */
export function isSandboxDirectory(dataDirectory: string): boolean {
  return existsSync(join(dataDirectory, JOURNAL_FILE))
}

/**
 * Keeps simulated and real wallets apart. Throws `OperatorError` for a sandbox's directory without the sandbox, and for
 * another used directory with it.
 */
export function assertDirectoryFits(dataDirectory: string, isSandbox: boolean): void {
  const wasSandbox = isSandboxDirectory(dataDirectory)
  const isUsed = existsSync(join(dataDirectory, DATABASE_FILE))
  if (wasSandbox && !isSandbox) {
    throw new OperatorError(
      `the data directory ${dataDirectory} belongs to a sandbox: choose another one, or use --sandbox`,
    )
  }
  if (isUsed && !wasSandbox && isSandbox) {
    throw new OperatorError(
      `the data directory ${dataDirectory} was used without --sandbox: choose another one for the sandbox`,
    )
  }
}
