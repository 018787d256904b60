import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { projectRoot } from '../../support/project-root.js'
import { difference } from './compare.js'
import type { Picture } from './photographer.js'

export const REFERENCES = join(projectRoot, 'test/page/appearance/pictures')

/** The file of the accessibility tree of a state. */
export function treeFile(state: string): string {
  return join(projectRoot, 'test/page/appearance/trees', `${state}.txt`)
}

/** Where pictures are left that are not as they should be. */
const RESULTS = join(projectRoot, 'dist/pictures')

export const ADVICE = 'Look at it. If the page should be so now: npm run pictures'

/** What is wrong with a picture, and where to see it; null if nothing. `references`: the folder of what it should be. */
export async function complaintOf({ name, png }: Picture, references = REFERENCES): Promise<string | null> {
  const reference = join(references, `${name}.png`)
  if (!existsSync(reference)) return `${name} has no reference`
  const found = await difference(png, readFileSync(reference))
  if (found === null) return null
  const actual = left(`${name}.actual.png`, png)
  const shown = found.picture === null ? '' : ` and ${left(`${name}.difference.png`, found.picture)}`
  return `${name} ${found.what}: see ${actual}${shown}`
}

function left(file: string, png: Buffer): string {
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(join(RESULTS, file), png)
  return relative(projectRoot, join(RESULTS, file))
}
