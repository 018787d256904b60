/** Puts the files of the reference page beside the built code: `npm run build` runs it. The same packages give the same bytes. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, gzipSync } from 'node:zlib'
import { REFERENCE_FILES } from '../../src/program-files.js'
import { projectRoot } from '../../test/support/project-root.js'

const from = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
const to = join(projectRoot, 'dist/src/reference')

mkdirSync(to, { recursive: true })
for (const name of REFERENCE_FILES) {
  const packed = gzipSync(readFileSync(join(from, name)), { level: constants.Z_BEST_COMPRESSION })
  writeFileSync(join(to, `${name}.gz`), packed)
}
