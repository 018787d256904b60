import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory, where there is one: nothing waits for a disk. */
const MEMORY_DIRECTORY = '/dev/shm'

/** A directory for one test; `remove` deletes it with its contents. */
export interface TemporaryDirectory {
  readonly path: string
  remove(): void
}

export function temporaryDirectory(parent = tmpdir()): TemporaryDirectory {
  const path = mkdtempSync(join(parent, 'billhook-test-'))
  return { path, remove: () => removeTree(path, REMOVALS_MAX) }
}

/** How often the contents of a directory are removed while others still write there, as Chromium's children do behind its end. */
const REMOVALS_MAX = 10

/** Node's own retries do not look for new files. */
function removeTree(path: string, removals: number): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 1, retryDelay: 100 })
  } catch (error) {
    if (removals === 1 || (error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
    removeTree(path, removals - 1)
  }
}

/** A directory in memory where the machine has one, for tests that commit much and prove nothing about disks. */
export function memoryDirectory(): TemporaryDirectory {
  return temporaryDirectory(existsSync(MEMORY_DIRECTORY) ? MEMORY_DIRECTORY : tmpdir())
}
