import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings } from '../../src/config.js'
import { type NetworkEntry, networksOf } from '../../src/networks/catalogue/entry.js'
import { parseNetworks } from '../../src/networks/catalogue/file.js'
import { catalogueOf } from '../../src/service/catalogue.js'
import { projectRoot } from './project-root.js'

const FOLDER = join(projectRoot, 'docs/networks')

/** The networks that are built in, as they are without settings, and those of `docs/networks`. */
export const CATALOGUE: readonly NetworkEntry[] = [...builtIn(), ...documented()]

export const CATALOGUE_NETWORKS = networksOf(CATALOGUE)

function builtIn(): readonly NetworkEntry[] {
  const outcome = readSettings([], {})
  assert.ok('settings' in outcome)
  return catalogueOf(outcome.settings)
}

function documented(): readonly NetworkEntry[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
  const problems: string[] = []
  const entries = files.flatMap((name) => parseNetworks(readFileSync(join(FOLDER, name), 'utf8'), {}, problems))
  assert.deepEqual(problems, [])
  return entries
}
