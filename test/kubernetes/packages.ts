import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { absenceOf } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'

const workspace = join(projectRoot, 'test/kubernetes')

/** A file of a package of this workspace, which the project itself does not have. */
export function packageFile(path: string): string {
  return join(workspace, 'node_modules', path)
}

/** Why tests with the tools of Kubernetes are skipped; false when they can run. */
export const toolsAbsence: string | false = absence()

function absence(): string | false {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'test/kubernetes has Helm for Linux on x64 only'
  const { dependencies } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  const missing = Object.keys(dependencies).filter((name) => !existsSync(packageFile(name)))
  return missing.length === 0 ? false : absenceOf(...missing)
}
