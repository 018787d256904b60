import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MANIFEST_FILES } from '../support/manifests.js'
import { projectRoot } from '../support/project-root.js'
import { Helm } from './helm.js'
import { renderedFile } from './rendered.js'

/* Writes the plain manifests of deploy/kubernetes from the chart: `npm run manifests`. */

const helm = await Helm.unpack()
try {
  for (const file of MANIFEST_FILES) {
    writeFileSync(join(projectRoot, 'deploy/kubernetes', file), renderedFile(helm, file))
  }
} finally {
  helm.remove()
}
