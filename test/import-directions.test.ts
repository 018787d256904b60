import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { describe, test } from 'node:test'
import { projectRoot } from './support/project-root.js'

/*
 * The arrows of the architecture. A part is a folder of src or a file beside the folders; `config` is both. Every import
 * counts: of values and of types, static and dynamic. What a part may import besides itself:
 */

const allowed: Readonly<Record<string, readonly string[]>> = {
  // Pure: nothing but itself.
  domain: [],

  // Leaves.
  base: ['scheduler'],
  clock: [],
  // The operator's file of networks is one of the settings, and addresses in settings are compared as everywhere.
  config: ['base', 'domain', 'networks'],
  crypto: ['base'],
  log: ['base', 'clock', 'scheduler'],
  'program-files': [],
  scheduler: [],
  'log-throttle': [],
  'operator-error': [],
  'v8-flags': [],
  version: [],

  // The core.
  verify: ['base', 'crypto', 'program-files', 'scheduler'],
  store: ['base', 'clock', 'domain', 'scheduler', 'operator-error'],
  actors: ['base', 'domain', 'store'],
  auth: ['base', 'clock', 'crypto', 'domain', 'scheduler', 'store', 'verify'],
  audit: ['actors', 'domain', 'log', 'store'],

  // The edges. Those that answer requests know the HTTP port, the sandbox also the ports that it simulates.
  ledger: ['actors', 'auth', 'base', 'clock', 'crypto', 'domain', 'log', 'scheduler', 'store'],
  networks: ['actors', 'base', 'clock', 'domain', 'log', 'scheduler', 'store'],
  webhooks: ['base', 'clock', 'crypto', 'domain', 'log', 'scheduler', 'store', 'version'],
  rates: ['base', 'domain', 'log', 'scheduler', 'store', 'version', 'webhooks'],
  page: ['base', 'domain'],
  http: [
    ...['actors', 'audit', 'auth', 'base', 'clock', 'crypto', 'domain', 'ledger', 'listing', 'log', 'page'],
    'program-files',
    ...['scheduler', 'log-throttle', 'store', 'version', 'webhooks'],
  ],
  listing: ['domain'],
  reports: ['base', 'domain', 'listing', 'store'],
  console: ['audit', 'base', 'clock', 'domain', 'http', 'listing', 'metrics', 'page', 'reports', 'scheduler', 'store'],
  metrics: [
    ...[
      'actors',
      'base',
      'clock',
      'domain',
      'http',
      'ledger',
      'networks',
      'rates',
      'scheduler',
      'store',
      'verify',
      'version',
      'webhooks',
    ],
  ],
  sandbox: [
    ...['actors', 'base', 'clock', 'crypto', 'domain', 'http', 'ledger', 'log', 'networks', 'scheduler'],
    ...['operator-error', 'store'],
  ],

  // The assembly: only the service knows everything, only the command line knows the service.
  service: [
    ...[
      'actors',
      'audit',
      'auth',
      'base',
      'clock',
      'config',
      'console',
      'crypto',
      'domain',
      'http',
      'ledger',
      'listing',
    ],
    'log',
    ...[
      'metrics',
      'networks',
      'page',
      'rates',
      'reports',
      'sandbox',
      'scheduler',
      'log-throttle',
      'operator-error',
      'store',
      'verify',
      'version',
      'webhooks',
    ],
  ],
  cli: [
    ...['base', 'clock', 'config', 'crypto', 'domain', 'http', 'listing', 'log', 'networks', 'reports'],
    ...['scheduler', 'log-throttle', 'service', 'operator-error', 'store', 'version'],
  ],
  main: ['cli', 'service', 'v8-flags'],
}

/** Packages and Node's own modules, where a part may not import every one of them. */
const allowedPackages: Readonly<Record<string, RegExp>> = {
  domain: /^$/,
}

/** Packages that only one part may import. */
const ownPackages: Readonly<Record<string, string>> = { 'prom-client': 'metrics', '@billhook/client': 'cli' }

/** Engines behind a port. Their values are imported by files of the same folder, and by those that choose among them. */
const engines = [
  'crypto/libsecp256k1.ts',
  'crypto/noble.ts',
  'verify/pool.ts',
  'http/uws/server.ts',
  'http/node/server.ts',
  'http/choose-server.ts',
  'store/lmdb/',
  'store/postgres/',
]

/** `verify` chooses the engine of the curve, the service all others. */
const choosers = ['service', 'verify']

interface Import {
  /** The importing file, relative to src, with forward slashes. */
  readonly from: string
  /** As written. */
  readonly specifier: string
  readonly typeOnly: boolean
}

const source = join(projectRoot, 'src')

/** Every file that becomes code; ambient declarations (.d.ts) describe packages and import nothing at run time. */
function sourceFiles(): string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[cm]?tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => path.split(sep).join('/'))
    .sort()
}

/** The imports of a source text. The formatter puts every import and export at the start of a line. */
function importsOf(from: string, text: string): Import[] {
  const found: Import[] = []
  const statement = /^(?:import|export)\s+(type\b)?(?:[^'"`;=()]*?\bfrom\s*)?['"]([^'"]+)['"]/gm
  for (const [, type, specifier = ''] of text.matchAll(statement)) {
    found.push({ from, specifier, typeOnly: type !== undefined })
  }
  for (const [, argument = ''] of text.matchAll(/\bimport\(\s*([^)]*)\)/g)) {
    const literal = /^['"]([^'"]+)['"]\s*,?\s*$/.exec(argument)
    assert.ok(literal?.[1] !== undefined, `${from}: import(${argument}) cannot be checked`)
    found.push({ from, specifier: literal[1], typeOnly: false })
  }
  for (const [, specifier = ''] of text.matchAll(/\bnew URL\(\s*['"](\.[^'"]+)['"]\s*,\s*import\.meta\.url/g)) {
    found.push({ from, specifier, typeOnly: false })
  }
  return found
}

function partOf(path: string): string {
  return path.split('/')[0]?.replace(/\.tsx?$/, '') ?? ''
}

/** The imported file, relative to src and with the name of its source, or null when it is a package. */
function targetOf({ from, specifier }: Import): string | null {
  if (!specifier.startsWith('.')) return null
  const path = normalize(join(dirname(from), specifier))
    .split(sep)
    .join('/')
  return path.replace(/\.js$/, '.ts')
}

/** What of the imports of one file goes against an arrow, one line each. */
function violations(imports: readonly Import[]): string[] {
  return imports.flatMap((entry) => {
    const part = partOf(entry.from)
    const target = targetOf(entry)
    const told = `${entry.from} imports ${entry.specifier}`
    if (target === null) {
      const owner = ownPackages[entry.specifier]
      const isOthers = owner !== undefined && owner !== part
      return isOthers || allowedPackages[part]?.test(entry.specifier) === false ? [told] : []
    }
    if (target.startsWith('..')) return [told]
    const targetPart = partOf(target)
    const permitted = targetPart === part || allowed[part]?.includes(targetPart) === true
    const engine = engines.find((prefix) => target.startsWith(prefix))
    const behindPort = engine === undefined || entry.typeOnly || part === targetPart || choosers.includes(part)
    return permitted && behindPort ? [] : [told]
  })
}

/** The groups of files that all lead to each other by their imports, each in alphabetical order; a file that imports itself is one. */
function circlesIn(imported: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const reached = new Map([...imported.keys()].map((file) => [file, reachedFrom(file, imported)]))
  const circles = new Map<string, readonly string[]>()
  for (const [file, others] of reached) {
    if (!others.has(file)) continue
    const circle = [...others].filter((other) => reached.get(other)?.has(file) === true).sort()
    circles.set(circle.join(' '), circle)
  }
  return [...circles].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, circle]) => circle)
}

/** The files to which the imports of a file lead. */
function reachedFrom(file: string, imported: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [file]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const other of imported.get(next) ?? []) {
      if (reached.has(other) || !imported.has(other)) continue
      reached.add(other)
      open.push(other)
    }
  }
  return reached
}

describe('import directions', () => {
  test('every import follows an arrow', () => {
    const files = sourceFiles()
    assert.ok(files.length > 0)
    const against = files.flatMap((file) => violations(importsOf(file, readFileSync(join(source, file), 'utf8'))))
    assert.deepEqual(against, [])
  })

  test('the table covers every part of src and nothing else', () => {
    const parts = new Set(sourceFiles().map(partOf))
    assert.deepEqual(
      [...parts].filter((part) => allowed[part] === undefined),
      [],
      'parts without a row',
    )
    assert.deepEqual(
      Object.keys(allowed).filter((part) => !parts.has(part)),
      [],
      'rows without a part',
    )
  })

  test('every arrow of the table is used', () => {
    const used = new Set<string>()
    for (const from of sourceFiles()) {
      for (const entry of importsOf(from, readFileSync(join(source, from), 'utf8'))) {
        used.add(`${partOf(from)} -> ${partOf(targetOf(entry) ?? '')}`)
      }
    }
    const arrows = Object.entries(allowed).flatMap(([part, others]) => others.map((other) => `${part} -> ${other}`))
    assert.deepEqual(
      arrows.filter((arrow) => !used.has(arrow)),
      [],
    )
  })

  test('the arrows of the table point one way', () => {
    const above: string[] = []
    const settled = new Set<string>()
    const visit = (part: string): void => {
      assert.ok(!above.includes(part), `a circle: ${[...above, part].join(' -> ')}`)
      if (settled.has(part)) return
      above.push(part)
      for (const next of allowed[part] ?? assert.fail(`${above.at(-2)} may import ${part}, which has no row`))
        visit(next)
      above.pop()
      settled.add(part)
    }
    for (const part of Object.keys(allowed)) visit(part)
  })

  test('no files import each other in a circle', () => {
    const imported = new Map(
      sourceFiles().map((file) => [
        file,
        importsOf(file, readFileSync(join(source, file), 'utf8')).map((entry) => targetOf(entry) ?? ''),
      ]),
    )
    assert.deepEqual(circlesIn(imported), [])
  })

  test('a circle is found wherever it is entered', () => {
    const arrows: [string, string[]][] = [
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', ['b', 'node:fs']],
      ['d', ['e', 'c']],
      ['e', ['f']],
      ['f', ['d', 'g']],
      ['g', []],
      ['h', ['h']],
    ]
    assert.deepEqual(circlesIn(new Map(arrows)), [['b', 'c'], ['d', 'e', 'f'], ['h']])
    assert.deepEqual(circlesIn(new Map(arrows.reverse())), [['b', 'c'], ['d', 'e', 'f'], ['h']])
  })

  test('imports of every form are seen', () => {
    const text = [
      "import { a } from './a.js'",
      "import type { B } from './b.js'",
      "import './c.js'",
      'import {',
      '  d,',
      '  type D,',
      "} from './d.js'",
      "export * from './e.js'",
      "export type { F } from './f.js'",
      "const g = await import('./g.js')",
      "let h: import('./h.js').H",
      "const worker = new URL('./i.js', import.meta.url)",
      "import * as j from './j.js'",
      "import k, { type K } from './k.js'",
      "export const text = 'not from'",
      "export function from() { return './no.js' }",
    ].join('\n')
    const seen = importsOf('x.ts', text)
    assert.deepEqual(
      seen.map(({ specifier }) => specifier).sort(),
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map((name) => `./${name}.js`),
    )
    assert.deepEqual(
      seen.filter(({ typeOnly }) => typeOnly).map(({ specifier }) => specifier),
      ['./b.js', './f.js'],
    )
    assert.throws(() => importsOf('x.ts', 'await import(name)'), /cannot be checked/)
  })

  test('the client library imports nothing but itself and the packages of its platform-free cryptography', () => {
    const folder = join(projectRoot, 'packages/client/src')
    const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
    assert.ok(files.length > 0)
    const against = files.flatMap((file) =>
      importsOf(file, readFileSync(join(folder, file), 'utf8'))
        .filter(
          ({ specifier }) =>
            !/^(\.\/[\w-]+\.js|@noble\/(hashes|secp256k1)(\/.*)?|@scure\/bip39(\/.*)?)$/.test(specifier),
        )
        .map(({ specifier }) => `${file} imports ${specifier}`),
    )
    assert.deepEqual(against, [])
  })

  const cases: readonly [from: string, statement: string, against: boolean][] = [
    ['domain/invoice.ts', "import { a } from './amount.js'", false],
    ['domain/invoice.ts', "import type { Store } from '../store/store.js'", true],
    ['domain/invoice.ts', "import { createHash } from 'node:crypto'", true],
    ['domain/invoice.ts', "import type { Clock } from '../clock.js'", true],
    ['crypto/id.ts', "import { readSettings } from '../config.js'", true],
    ['crypto/id.ts', "import type { VerifyPool } from '../verify/pool.js'", true],
    ['verify/engine-choice.ts', "const e = await import('../crypto/noble.js')", false],
    ['auth/a.ts', "import { noble } from '../crypto/noble.js'", true],
    ['config/schema.ts', "import { readSettings } from '../config.js'", false],
    ['config.ts', "import ipaddr from 'ipaddr.js'", false],
    ['store/store.ts', "import type { Answer } from '../http/server.js'", true],
    ['actors/wallet-actor.ts', "import { openLmdb } from '../store/lmdb/open.js'", true],
    ['http/routes/a.ts', "import type { LmdbStore } from '../../store/lmdb/store.js'", false],
    ['http/routes/a.ts', "import { LmdbStore } from '../../store/lmdb/store.js'", true],
    ['service.ts', "import { openLmdb } from './store/lmdb/open.js'", false],
    ['http/routes/a.ts', "import { startService } from '../../service.js'", true],
    ['webhooks/dispatcher.ts', "import type { Answer } from '../http/server.js'", true],
    ['metrics/metrics.ts', "import { Counter } from 'prom-client'", false],
    ['actors/intake.ts', "import type { Counter } from 'prom-client'", true],
    ['store/lmdb/commit-loop.ts', "import { Metrics } from '../../metrics/metrics.js'", true],
    ['cli/sign.ts', "import { keySigner } from '@billhook/client'", false],
    ['service.ts', "import type { Signer } from '@billhook/client'", true],
    ['cli/sign.ts', "import { keySigner } from '../../packages/client/src/signer.js'", true],
    ['cli/serve.ts', "import pkg from '../../package.json'", true],
  ]
  for (const [from, statement, against] of cases) {
    test(`${from} ${against ? 'may not' : 'may'} say ${statement}`, () => {
      assert.equal(violations(importsOf(from, statement)).length, against ? 1 : 0)
    })
  }
})
