import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { asNobody, NOBODY } from './nobody.js'
import { PostgresAbsent } from './postgres-absent.js'
import { projectRoot } from './project-root.js'
import { memoryDirectory } from './temporary-directory.js'

/*
 * A database cluster as `initdb` leaves it. Sixty files of tests start servers, and a copy takes a tenth of the processor time of
 * `initdb`. So it runs once for a build and a user.
 */

const DIRECTORY = join(projectRoot, 'dist/clusters')
const FLAGS = ['-U', 'postgres', '--encoding=UTF8', '--locale=C', '--auth=trust', '--no-sync']

/** Makes an empty cluster at a path where nothing is. Throws `PostgresAbsent` when `initdb` cannot be run. */
export function makeCluster(programs: string, path: string): void {
  copyCluster(emptyCluster(programs), path)
}

/** Copies the files of a server that does not run, with their owner. */
export function copyCluster(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

/** The one that is copied. Several processes may make it at once; the first stays. */
function emptyCluster(programs: string): string {
  // Another version may have come to the same path.
  const { mtimeMs, size } = statSync(join(programs, 'postgres'))
  const key = [programs, mtimeMs, size, process.getuid?.(), ...FLAGS].join('\n')
  const place = join(DIRECTORY, createHash('sha256').update(key).digest('hex').slice(0, 16))
  if (existsSync(place)) return place
  mkdirSync(DIRECTORY, { recursive: true })
  const made = mkdtempSync(`${place}-`)
  // `nobody` may not be let into the project.
  const scratch = memoryDirectory()
  try {
    chmodSync(scratch.path, 0o711)
    initialise(programs, join(scratch.path, 'data'))
    copyCluster(join(scratch.path, 'data'), join(made, 'data'))
    renameSync(join(made, 'data'), place)
  } catch (error) {
    if (!existsSync(place)) throw error
  } finally {
    scratch.remove()
    rmSync(made, { recursive: true, force: true })
  }
  return place
}

function initialise(programs: string, data: string): void {
  mkdirSync(data)
  if (process.getuid?.() === 0) chownSync(data, NOBODY, NOBODY)
  const made = spawnSync(join(programs, 'initdb'), ['-D', data, ...FLAGS], { encoding: 'utf8', ...asNobody() })
  // Not to be run by `nobody`, for one, in a directory that only root may enter.
  if (made.error !== undefined) throw new PostgresAbsent(`PostgreSQL cannot be run here: ${made.error.message}`)
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
}
