import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { projectRoot } from './project-root.js'

/**
 * Whether a compiled test is left to `npm run test:all`, which has more than Node and `npm ci` of the project: what `tsconfig.json` does
 * not compile, `npm test` does not run.
 */
export function isLeftOut(file: string, excluded: readonly string[] = excludedSources()): boolean {
  const source = relative(join(projectRoot, 'dist'), resolve(projectRoot, file)).replace(/\.js$/, '.ts')
  return excluded.some((path) => source === path || source.startsWith(`${path}/`))
}

/** The compiled tests, relative to the project. */
export function testFiles(): readonly string[] {
  return ['dist/test', 'dist/packages'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.js') && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  )
}

/** The directories and files that `tsconfig.json` excludes. */
export function excludedSources(): readonly string[] {
  const text = readFileSync(join(projectRoot, 'tsconfig.json'), 'utf8').replace(/^ *\/\/.*\n/gm, '')
  const { exclude } = JSON.parse(text) as { readonly exclude: readonly string[] }
  return exclude
}
