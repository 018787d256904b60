import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The directory of package.json, found from the compiled file upwards, wherever the compiler put it. */
export const projectRoot: string = findRoot(import.meta.dirname)

function findRoot(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory
  const parent = dirname(directory)
  if (parent === directory) throw new Error('No package.json above the benchmarks.')
  return findRoot(parent)
}
