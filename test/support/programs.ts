import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { projectRoot } from './project-root.js'

/*
 * What tests need beside Node and npm. On a machine without it they are skipped, with a reason that says what to install. All such
 * reasons have one form, by which a run tells them from others. It names the test file, because the runner knows only the
 * file in which a test is written, which may be a suite that several test files run.
 */

const ABSENCE = /^(\S+) needs (.+) \(not installed\)$/

export interface Absence {
  /** The test file, relative to the project. */
  readonly file: string
  readonly names: readonly string[]
}

/** The file of a program on the path; null when there is none. */
export function programFile(name: string): string | null {
  const directories = (process.env['PATH'] ?? '').split(delimiter)
  return directories.map((directory) => join(directory, name)).find(isExecutable) ?? null
}

/** The reason for `skip` when some of the programs are not on the path; false when all are. */
export function missingPrograms(...names: readonly string[]): string | false {
  const missing = names.filter((name) => programFile(name) === null)
  return missing.length === 0 ? false : absenceOf(...missing)
}

/** The reason for `skip` where the system calls of a process cannot be traced; false where they can. */
export function notTraceable(): string | false {
  const missing = missingPrograms('strace')
  if (missing !== false) return missing
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0 ? false : 'processes may not be traced here'
}

/** The reason for `skip` when something is not installed. */
export function absenceOf(...names: readonly string[]): string {
  return `${relative(projectRoot, process.argv[1] ?? '')} needs ${names.join(', ')} (not installed)`
}

/** What was not installed, by the reason of a skipped test; null when it was skipped for another reason. */
export function readAbsence(reason: string): Absence | null {
  const [, file, names] = ABSENCE.exec(reason) ?? []
  return file === undefined || names === undefined ? null : { file, names: names.split(', ') }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
