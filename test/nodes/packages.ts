import { join } from 'node:path'
import { projectRoot } from '../support/project-root.js'

/** The installed packages of this workspace. */
export const packagesDirectory = join(projectRoot, 'test/nodes/node_modules')
