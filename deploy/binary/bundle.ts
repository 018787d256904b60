/** Bundles the program into two scripts, the main one and that of the worker threads, with the native modules replaced. */

import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename, join, sep } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** A change to a file of a package. It must match exactly once, so that a new version of the package is noticed. */
interface Patch {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** Modules whose whole content is replaced, by the end of their path: those that load native code or read files. */
const REPLACED_MODULES: Readonly<Record<string, string>> = {
  'uWebSockets.js/dist/uws.mjs': "import { loadNative } from 'billhook:natives'; export default loadNative('uws')",
  'secp256k1/bindings.js':
    "module.exports = require('./lib')(new (require('billhook:natives').loadNative('secp256k1').Secp256k1)())",
  'fs-native-extensions/binding.js': "module.exports = require('billhook:natives').loadNative('fs-native-extensions')",
  'koffi/index.js': "import { loadNative } from 'billhook:natives'; export default loadNative('koffi')",
  'node-gyp-build-optional-packages/index.js': "module.exports = () => require('billhook:natives').loadNative('lmdb')",
  'src/program-files.ts': "export * from 'billhook:program-files'",
}

/** Optional to the packages that import them, which catch the error. */
const ABSENT_MODULES = ['msgpackr-extract', '@napi-rs/nice', 'pg-native']

/** Piscina starts its threads from files; the binary has none. */
const PATCHES: readonly Patch[] = [
  {
    file: 'piscina/dist/worker_pool/index.js',
    from: 'new node_worker_threads_1.Worker(filename, workerOpts)',
    to: "new node_worker_threads_1.Worker(require('node:sea').getAsset('worker.js', 'utf8'), { ...workerOpts, eval: true })",
  },
  {
    file: 'piscina/dist/worker.js',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the package
    from: 'handler = await Promise.resolve(`${filename}`).then(s => __importStar(require(s)));',
    to: "handler = require('billhook:handler');",
  },
]

/** The flags come first: until they are taken back, V8 compiles Node's own modules anew (`src/v8-flags.ts`). */
const MAIN = `
import './src/v8-flags.ts'
import { shareNatives } from 'billhook:natives'
shareNatives()
import('./src/main.ts')
`

const LINE_LIMIT_CHARACTERS = 160

interface Script {
  readonly text: string
  /** The directories in `node_modules` of the packages of which code is in it. */
  readonly packages: readonly string[]
}

/** The two scripts. Throws when a package is imported that neither is built in nor was bundled. */
export async function bundle(root: string): Promise<{ readonly main: Script; readonly worker: Script }> {
  const [main, worker] = await Promise.all([
    script(root, MAIN),
    script(root, "import './node_modules/piscina/dist/worker.js'"),
  ])
  return { main, worker }
}

async function script(root: string, contents: string): Promise<Script> {
  const applied = new Set<Patch>()
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts', sourcefile: 'entry.ts' },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    minifySyntax: true,
    minifyWhitespace: true,
    // Node prints the line of an uncaught error.
    lineLimit: LINE_LIMIT_CHARACTERS,
    legalComments: 'inline',
    banner: { js: "const programUrl = require('node:url').pathToFileURL(process.execPath).href;" },
    define: { 'import.meta.url': 'programUrl' },
    plugins: [replaceModules(root, applied)],
    logLevel: 'error',
  })
  const outside = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ path, external }) => external === true && !path.startsWith('node:') && !isBuiltin(path))
  if (outside.length > 0) throw new Error(`not bundled: ${outside.map(({ path }) => path).join(', ')}`)
  for (const patch of PATCHES) {
    const isUsed = Object.keys(metafile.inputs).some((input) => input.endsWith(patch.file))
    if (isUsed && !applied.has(patch)) throw new Error(`a patch was not applied: ${patch.file}`)
  }
  const [output] = outputFiles
  if (output === undefined) throw new Error('there is no bundle')
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  )
  return { text: output.text, packages: [...new Set(used.flatMap(packageOf))] }
}

/** None for a module of the project, and for one that is replaced or absent. */
function packageOf(input: string): readonly string[] {
  if (replacementOf(input) !== undefined) return []
  const [, directory] = /^node_modules\/((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? []
  return directory === undefined ? [] : [directory]
}

function replacementOf(file: string): string | undefined {
  return Object.entries(REPLACED_MODULES).find(([end]) => file.endsWith(`/${end}`))?.[1]
}

function replaceModules(root: string, applied: Set<Patch>): Plugin {
  const runtime = join(root, 'deploy/binary/runtime')
  return {
    name: 'single-binary',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^billhook:handler$/ }, () => ({ path: join(root, 'src/verify/worker.ts') }))
      onResolve({ filter: /^billhook:/ }, ({ path }) => ({
        path: join(runtime, `${path.slice('billhook:'.length)}.ts`),
      }))
      onResolve({ filter: new RegExp(`^(${ABSENT_MODULES.join('|')})$`) }, ({ path }) => ({
        path,
        namespace: 'absent',
      }))
      onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
        contents: `throw new Error('${path} is not part of the single binary')`,
      }))
      onLoad({ filter: /\.(js|mjs|ts)$/ }, async ({ path }) => {
        const name = path.split(sep).join('/')
        const replacement = replacementOf(name)
        if (replacement !== undefined)
          return { contents: replacement, loader: basename(path).endsWith('.ts') ? 'ts' : 'js' }
        const patches = PATCHES.filter(({ file }) => name.endsWith(`/${file}`))
        if (patches.length === 0) return undefined
        let contents = await readFile(path, 'utf8')
        for (const patch of patches) {
          if (contents.split(patch.from).length !== 2) throw new Error(`${patch.file} is not what this build knows`)
          contents = contents.replace(patch.from, () => patch.to)
          applied.add(patch)
        }
        return { contents, loader: 'js' }
      })
    },
  }
}
