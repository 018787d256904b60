import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isLong } from './long-files.js'
import { projectRoot } from './project-root.js'

/*
 * Small test files share processes: for most of them, starting a process and loading modules takes longer than the tests. Only files that
 * cannot disturb each other do: nothing that they load starts processes or threads, opens a store, or has native code with a server.
 */

/** A file that loads one of these has a process of its own. */
const KEEPS_APART: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:worker_threads',
  'piscina',
  'lmdb',
  'pg',
  'uWebSockets.js',
])
/** Few, so that little is loaded twice; but more than run at once, so that none runs alone in the end. */
const SHARED_PROCESSES = 8
/** In it, a file for each shared process imports the test files. */
const DIRECTORY = 'dist/test/shared'
const IMPORT = /\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g

/** What a compiled file imports, as it is written there. */
export type ImportsOf = (file: string) => readonly string[]

/** What to run in place of the files: those that may share a process are imported by a few. */
export function inSharedProcesses(files: readonly string[]): readonly string[] {
  const importsOf = importReader()
  const sharing = files.filter((file) => mayShare(file, importsOf)).sort()
  const directory = join(projectRoot, DIRECTORY)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory)
  const shared = portions(sharing).map((portion, place) => {
    const file = join(DIRECTORY, `${place + 1}.js`)
    writeFileSync(join(projectRoot, file), portion.map((one) => `import '${pathFrom(directory, one)}'\n`).join(''))
    return file
  })
  return [...shared, ...files.filter((file) => !sharing.includes(file))]
}

/** Whether a test file may run in one process with others. */
export function mayShare(file: string, importsOf: ImportsOf): boolean {
  if (isLong(file)) return false
  const first = resolve(projectRoot, file)
  const found = new Set([first])
  for (const one of found) {
    for (const name of importsOf(one)) {
      if (KEEPS_APART.has(name)) return false
      if (name.startsWith('.')) found.add(resolve(dirname(one), name))
    }
  }
  return true
}

/** Neighbours stay together, because they load the same modules. */
function portions(files: readonly string[]): readonly (readonly string[])[] {
  const size = Math.ceil(files.length / SHARED_PROCESSES)
  return Array.from({ length: Math.ceil(files.length / size) }, (_, place) =>
    files.slice(place * size, (place + 1) * size),
  )
}

function importReader(): ImportsOf {
  const known = new Map<string, readonly string[]>()
  return (file) => {
    const imports = known.get(file) ?? readImports(file)
    known.set(file, imports)
    return imports
  }
}

function readImports(file: string): readonly string[] {
  if (!file.endsWith('.js') || !existsSync(file)) return []
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, name = '']) => name)
}

function pathFrom(directory: string, file: string): string {
  return relative(directory, resolve(projectRoot, file)).split(sep).join('/')
}
