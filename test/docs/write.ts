/** Writes the generated pages of docs/: `npm run docs`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../support/project-root.js'
import { generatedDocuments } from './documents.js'

for (const { path, text } of generatedDocuments) writeFileSync(join(projectRoot, path), text)
