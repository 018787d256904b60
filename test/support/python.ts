import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { absenceOf, missingPrograms } from './programs.js'
import { projectRoot } from './project-root.js'

/* What runs the Python package: no module of it is installed for the tests. */

export const PYTHON_PACKAGE = join(projectRoot, 'packages/python')

const MODULES = ['cryptography', 'mypy']
/** Another Python may come first in the path than the one for which Debian has packages. */
export const PYTHON =
  ['python3', '/usr/bin/python3'].find((program) => MODULES.every((name) => hasModule(program, name))) ?? 'python3'

/** Finds the package, and writes nothing beside its sources. */
export const PYTHON_ENVIRONMENT = { PYTHONPATH: join(PYTHON_PACKAGE, 'src'), PYTHONDONTWRITEBYTECODE: '1' }

/** Why the package cannot be run here; false if it can. */
export const pythonAbsence: string | false = missingPrograms('python3') || missingModule('cryptography')

/** Why what needs a module cannot be run here; false if it can. */
export function missingModule(name: string): string | false {
  return hasModule(PYTHON, name) ? false : absenceOf(`python3-${name}`)
}

function hasModule(program: string, name: string): boolean {
  return spawnSync(program, ['-c', `import ${name}`], { stdio: 'ignore' }).status === 0
}
