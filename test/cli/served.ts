import assert from 'node:assert/strict'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { type Child, type Ended, startChild } from './child.js'
import { runInProcess } from './in-process.js'

/** The compiled program. */
export const main = new URL('../../src/main.js', import.meta.url)

/** A service as a child process that listens, and its address. */
export async function serving(directory: string, ...flags: string[]): Promise<{ service: Child; url: string }> {
  const service = startChild(main, ['serve', '--port', '0', '--data', directory, ...flags])
  const url = /listening on (\S+)\n/.exec(await service.wrote('stdout', 'listening on '))?.[1]
  assert.ok(url !== undefined)
  return { service, url }
}

/** A test with a directory of its own. */
export function inDirectory(scenario: (directory: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const { path, remove } = temporaryDirectory()
    try {
      await scenario(path)
    } finally {
      remove()
    }
  }
}

/** Runs a command to its end, in this process. */
export function command(...argv: string[]): Promise<Ended> {
  return runInProcess(argv, { cwd: process.cwd() })
}
