import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isLong } from './long-files.js'
import { projectRoot } from './project-root.js'

/*
 * Test files share processes: for most of them, starting a process and loading modules takes longer than the tests. The files of a process
 * run one after another, so a file disturbs another one by what it leaves behind, and by nothing else.
 */

/** Files that load none of these leave nothing behind, so many of them share a process. */
const BEYOND_THE_PROCESS: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:worker_threads',
  'piscina',
  'lmdb',
  'pg',
  'uWebSockets.js',
])
/** Few, so that little is loaded twice; but more than run at once, so that none runs alone in the end. */
const PURE_PROCESSES = 8
/** More, because these take longer. They run before the pure ones. */
const NEIGHBOUR_PROCESSES = 12
/** Where there are few files, processes are fewer: each loads the same modules. */
const FILES_AT_LEAST = 5
/** Tells which test file lacks something by the program of its process. */
const TELLS_WHAT_IS_MISSING = join('support', 'programs.js')
/** It would act before and behind the tests of all files of its process. */
const HOOK_OF_ALL_TESTS = /^(?:before|after)Each\(/m
const IMPORT = /\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g

/** The directory of what imports test files, a file for each process that they share. */
const SHARED_DIRECTORY = 'dist/test/shared'

/** With whom a test file runs: pure ones with any pure ones, others with their neighbours, or alone. */
export type Company = 'pure' | 'neighbours' | 'none'

/** What a compiled file says; null where there is none. */
export type SourceOf = (file: string) => string | null

export interface Sharing {
  /** Whether it must be known of each file what it lacks. */
  readonly namesWhatIsMissing: boolean
}

/** What to run in place of the files: those that may share a process are imported by a few. */
export function inSharedProcesses(files: readonly string[], sharing: Sharing): readonly string[] {
  const sourceOf = sourceReader()
  const sorted = [...files].sort()
  const companies = new Map(sorted.map((file) => [file, companyOf(file, sourceOf, sharing)]))
  const of = (company: Company) => sorted.filter((file) => companies.get(file) === company)
  // Several runs may go on at once.
  const directory = join(SHARED_DIRECTORY, String(process.pid))
  mkdirSync(join(projectRoot, directory), { recursive: true })
  const portions = [
    ...inPortions('neighbours', of('neighbours'), NEIGHBOUR_PROCESSES),
    ...inPortions('pure', of('pure'), PURE_PROCESSES),
  ]
  const shared = portions.map(([name, portion]) => {
    const file = join(directory, `${name}.js`)
    writeFileSync(join(projectRoot, file), portion.map((one) => `import '${pathFrom(directory, one)}'\n`).join(''))
    return file
  })
  return [...shared, ...of('none')]
}

export function companyOf(file: string, sourceOf: SourceOf, { namesWhatIsMissing }: Sharing): Company {
  if (isLong(file)) return 'none'
  const first = resolve(projectRoot, file)
  if (HOOK_OF_ALL_TESTS.test(sourceOf(first) ?? '')) return 'none'
  const found = new Set([first])
  let company: Company = 'pure'
  for (const one of found) {
    if (namesWhatIsMissing && one.endsWith(TELLS_WHAT_IS_MISSING)) return 'none'
    for (const name of importsIn(sourceOf(one) ?? '')) {
      if (BEYOND_THE_PROCESS.has(name)) company = 'neighbours'
      if (name.startsWith('.')) found.add(resolve(dirname(one), name))
    }
  }
  return company
}

/** Files that are near each other stay together, because they load the same modules. */
function inPortions(
  name: string,
  files: readonly string[],
  most: number,
): readonly (readonly [string, readonly string[]])[] {
  const size = Math.max(FILES_AT_LEAST, Math.ceil(files.length / most))
  return Array.from({ length: Math.ceil(files.length / size) }, (_, place) => [
    `${name}-${String(place + 1).padStart(2, '0')}`,
    files.slice(place * size, (place + 1) * size),
  ])
}

function sourceReader(): SourceOf {
  const known = new Map<string, string | null>()
  return (file) => {
    const source = known.get(file) ?? (file.endsWith('.js') && existsSync(file) ? readFileSync(file, 'utf8') : null)
    known.set(file, source)
    return source
  }
}

function importsIn(source: string): readonly string[] {
  return [...source.matchAll(IMPORT)].map(([, name = '']) => name)
}

function pathFrom(directory: string, file: string): string {
  return relative(join(projectRoot, directory), resolve(projectRoot, file)).split(sep).join('/')
}
