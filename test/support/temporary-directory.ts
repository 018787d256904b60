import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory, where there is one: nothing waits for a disk. */
const MEMORY_DIRECTORY = '/dev/shm'

/** A directory of the test's own, and how to remove it with all that is in it. */
export interface TemporaryDirectory {
  readonly path: string
  remove(): void
}

export function temporaryDirectory(parent = tmpdir()): TemporaryDirectory {
  const path = mkdtempSync(join(parent, 'billhook-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** In memory where the machine allows it, for tests that commit much and prove nothing about disks. */
export function memoryDirectory(): TemporaryDirectory {
  return temporaryDirectory(existsSync(MEMORY_DIRECTORY) ? MEMORY_DIRECTORY : tmpdir())
}
