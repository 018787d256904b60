import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { absenceOf } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'

const packagesDirectory = join(projectRoot, 'test/platforms/node_modules')

export interface Platform {
  readonly executable: string
  /** The reason for `skip` when it is not installed; false when it is. */
  readonly skip: string | false
}

/** A platform of which the package of this workspace is the binary. */
export function platform(name: string, path: string): Platform {
  const executable = join(packagesDirectory, name, path)
  return { executable, skip: existsSync(executable) ? false : absenceOf(name) }
}
