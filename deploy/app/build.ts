/** Builds the web wallet and puts its files beside the built code: `npm run build` runs it. The same sources give the same bytes. */

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { type BuildOptions, type BuildResult, build, type OutputFile, type Plugin, transform } from 'esbuild'
import { APP_PAGE, type PackedFile } from '../../src/http/routes/app.js'
import { projectRoot } from '../../test/support/project-root.js'

const from = join(projectRoot, 'packages/app')
const to = join(projectRoot, 'dist/src/app')
/** Which packages are in the app, for the bill of materials of the single binary. */
const PACKAGES_FILE = join(projectRoot, 'dist/app-packages.json')

/** As the service says it to browsers. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
}

/** The texts of every language but English, which names them. */
const LANGUAGE = /[/\\]src[/\\]languages[/\\][a-z]{2}\.ts$/

/** A quarter of what a language takes are the names of its texts, which all languages have (`languages/named.ts`). */
const textsWithoutNames: Plugin = {
  name: 'texts-without-names',
  setup: ({ onLoad }) =>
    onLoad({ filter: LANGUAGE }, async ({ path }) => {
      const code = basename(path, '.ts')
      if (code === 'en') return null
      const { code: script } = await transform(readFileSync(path, 'utf8'), { loader: 'ts', format: 'esm' })
      const module: Record<string, object> = await import(`data:text/javascript,${encodeURIComponent(script)}`)
      return { contents: `export const ${code} = ${JSON.stringify(Object.values(module[code] ?? {}))}`, loader: 'js' }
    }),
}

const shared: BuildOptions = {
  absWorkingDir: from,
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  charset: 'utf8',
  platform: 'browser',
  // Browsers of 2023 and later; all of them have what the wallet needs beside the language.
  target: ['chrome111', 'firefox115', 'safari16.4'],
  legalComments: 'none',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: 'out',
  logLevel: 'warning',
}

/** The thread is one file without imports, so that its policy allows none. */
const thread = await build({ ...shared, entryPoints: { keys: 'src/keys/thread.ts' }, format: 'iife' })
const keys = nameOf(thread.outputFiles, /^keys-/)
const page = await build({
  ...shared,
  entryPoints: { main: 'src/main.tsx' },
  format: 'esm',
  splitting: true,
  define: { KEY_THREAD: JSON.stringify(keys) },
  plugins: [textsWithoutNames],
})
const style = await build({ ...shared, entryPoints: { style: 'style.css' } })

const icon = readFileSync(join(from, 'icon.svg'))
const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`
const scripts = [...(thread.outputFiles ?? []), ...(page.outputFiles ?? []), ...(style.outputFiles ?? [])]
const html = readFileSync(join(from, 'index.html'), 'utf8')
  .replace('{main}', nameOf(page.outputFiles, /^main-/))
  .replace('{style}', nameOf(style.outputFiles, /^style-/))
  .replace('{icon}', iconName)
  .replace(
    '{preloads}',
    importsOf(page)
      .map((file) => `<link rel="modulepreload" href="app/${file}">\n`)
      .join(''),
  )

const packages = packagesIn([thread, page])
const files: readonly PackedFile[] = [
  packed(APP_PAGE, html),
  packed('licences.txt', licencesOf(packages)),
  packed(iconName, icon),
  ...scripts.map(({ path, contents }) => packed(basename(path), contents)),
]
mkdirSync(to, { recursive: true })
writeFileSync(join(to, 'files.json'), JSON.stringify(files))
writeFileSync(PACKAGES_FILE, JSON.stringify(packages))

function nameOf(outputs: readonly OutputFile[] | undefined, name: RegExp): string {
  const found = outputs?.map(({ path }) => basename(path)).find((file) => name.test(file))
  if (found === undefined) throw new Error(`the build made no file ${name}`)
  return found
}

/** What the first script imports, and with it is asked for at once instead of one after the other. */
function importsOf({ metafile }: BuildResult): readonly string[] {
  const [, main] = Object.entries(metafile?.outputs ?? {}).find(([path]) => basename(path).startsWith('main-')) ?? []
  const imports = (main?.imports ?? []).filter(({ kind, external = false }) => kind === 'import-statement' && !external)
  return imports.map(({ path }) => basename(path))
}

function packed(name: string, content: string | Uint8Array): PackedFile {
  const type = TYPES[name.split('.').pop() ?? '']
  if (type === undefined) throw new Error(`${name} has no type`)
  const gzip = gzipSync(content, { level: constants.Z_BEST_COMPRESSION })
  return { name, type, gzip: gzip.toString('base64') }
}

/** The packages of which code is in the files, by their directories below `node_modules`. */
function packagesIn(builds: readonly BuildResult[]): readonly string[] {
  const inputs = builds.flatMap(({ metafile }) =>
    Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
    ),
  )
  const names = inputs.map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1])
  return [...new Set(names.filter((name) => name !== undefined))].sort()
}

/** What the licences of these packages ask to pass on. */
function licencesOf(packages: readonly string[]): string {
  return packages
    .map((name) => {
      const directory = join(projectRoot, 'node_modules', name)
      const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry))
      if (file === undefined) throw new Error(`${name} has no licence`)
      return `${name}\n\n${readFileSync(join(directory, file), 'utf8').trim()}\n`
    })
    .join('\n\n')
}
