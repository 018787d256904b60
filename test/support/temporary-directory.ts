import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory of the test's own, and how to remove it with all that is in it. */
export interface TemporaryDirectory {
  readonly path: string
  remove(): void
}

export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'billhook-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
