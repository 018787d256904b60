/**
 * Builds the single binary: `node dist/deploy/binary/build.js [linux-x64|linux-arm64]` writes `dist/bin/billhook-<target>`,
 * its checksum (`.sha256`) and its bill of materials (`.cdx.json`). The same sources give the same bytes.
 */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inject } from 'postject'
import { verifyUwsBinary } from '../../src/http/uws/binary.js'
import { PROGRAM_FILES } from '../../src/program-files.js'
import { projectRoot } from '../../test/support/project-root.js'
import { billOfMaterials } from './bill.js'
import { bundle } from './bundle.js'
import { BASE_LINE, fetchPackage, lockedPackage, nodePackage, type Target } from './packages.js'

const TARGETS: readonly Target[] = ['linux-x64', 'linux-arm64']

/** What `npm start` passes to `node`. */
const V8_FLAGS = ['--max-semi-space-size=32', '--v8-pool-size=1']
/** Marks the place in Node's executable where the blob goes. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
/** The version of Node's binary interface in the base. */
const ABI = '127'

const target = (process.argv[2] ?? 'linux-x64') as Target
if (!TARGETS.includes(target)) throw new Error(`the target is one of ${TARGETS.join(', ')}`)
const scratch = mkdtempSync(join(tmpdir(), 'billhook-binary-'))
try {
  process.stdout.write(await buildBinary(target))
} finally {
  rmSync(scratch, { recursive: true })
}

/** Writes the files. Returns the line of the checksum. */
async function buildBinary(target: Target): Promise<string> {
  const file = join(projectRoot, `dist/bin/billhook-${target}`)
  mkdirSync(dirname(file), { recursive: true })
  const { main, worker } = await bundle(projectRoot)
  const native = nativeModules(target)
  await writeExecutable(target, file, main.text, {
    'worker.js': write('worker.js', worker.text),
    'natives.json': write('natives.json', JSON.stringify(placesFromEnd(native.modules))),
    ...programFiles(),
  })
  for (const { contents } of native.modules) appendFileSync(file, contents)
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
  const bill = await billOfMaterials({
    sum,
    target,
    node: nodePackage(BASE_LINE, target),
    partsOfNode: JSON.parse(
      execFileSync(fetchNode('linux-x64'), ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' }),
    ),
    // The reference page consists of files of swagger-ui-dist.
    packages: [...main.packages, ...worker.packages, ...native.packages, 'swagger-ui-dist', ...packagesOfApp()],
  })
  writeFileSync(`${file}.cdx.json`, bill)
  const line = `${sum}  billhook-${target}\n`
  writeFileSync(`${file}.sha256`, line)
  return line
}

/** The packages in the web wallet, as its build says (`deploy/app/build.ts`). */
function packagesOfApp(): readonly string[] {
  return JSON.parse(readFileSync(join(projectRoot, 'dist/app-packages.json'), 'utf8'))
}

async function writeExecutable(
  target: Target,
  file: string,
  main: string,
  assets: Readonly<Record<string, string>>,
): Promise<void> {
  const config = {
    main: write('main.js', main),
    output: 'blob',
    disableExperimentalSEAWarning: true,
    // Compiled code is for the processor that it was compiled on.
    useCodeCache: target === 'linux-x64',
    useSnapshot: false,
    execArgv: V8_FLAGS,
    execArgvExtension: 'none',
    assets,
  }
  // The blob is for the version of Node that makes it. V8 takes compiled code only under the flags that it was compiled under;
  // otherwise the binary warns at each start. The seed, which is not one of them, makes the code the same each time.
  const flags = [...V8_FLAGS, '--random-seed=1', '--experimental-sea-config', write('sea.json', JSON.stringify(config))]
  execFileSync(fetchNode('linux-x64'), flags, { cwd: scratch })
  copyFileSync(fetchNode(target), file)
  chmodSync(file, 0o755)
  strip(target, file)
  await inject(file, 'NODE_SEA_BLOB', readFileSync(join(scratch, config.output)), { sentinelFuse: FUSE })
}

/** The executable of Node that the binary is made from. */
function fetchNode(target: Target): string {
  return join(fetchPackage(nodePackage(BASE_LINE, target), join(scratch, 'packages')), 'bin/node')
}

interface NativeModules {
  readonly modules: readonly { readonly name: string; readonly contents: Buffer }[]
  /** The packages that they are from. */
  readonly packages: readonly string[]
}

/** The native modules of a target. libsecp256k1 has none for arm64: there noble verifies. */
function nativeModules(target: Target): NativeModules {
  const [, processor] = target.split('-')
  const uws = `uws_linux_${processor}_${ABI}.node`
  verifyUwsBinary(
    pathToFileURL(join(installed('uWebSockets.js'), 'dist/bin/')),
    uws.slice('uws_'.length, -'.node'.length),
  )
  const fetched = (name: string) => fetchPackage(lockedPackage(name), join(scratch, 'packages'))
  const lmdb = `@lmdb/lmdb-${target}`
  const koffi = `@koromix/koffi-${target}`
  const files: readonly (readonly [string, string, string])[] = [
    ['uws', 'uWebSockets.js', join(installed('uWebSockets.js'), 'dist/bin', uws)],
    ['lmdb', lmdb, join(fetched(lmdb), `node.abi${ABI}.glibc.node`)],
    ['secp256k1', 'secp256k1', join(installed('secp256k1'), `prebuilds/${target}/secp256k1.glibc.node`)],
    [
      'fs-native-extensions',
      'fs-native-extensions',
      join(installed('fs-native-extensions'), `prebuilds/${target}/fs-native-extensions.node`),
    ],
    ['koffi', koffi, join(fetched(koffi), `linux_${processor}/koffi.node`)],
  ]
  const present = files.filter(([name, , file]) => name !== 'secp256k1' || existsSync(file))
  const modules = present.map(([name, , file]) => {
    const stripped = join(scratch, `${name}.node`)
    copyFileSync(file, stripped)
    strip(target, stripped)
    return { name, contents: readFileSync(stripped) }
  })
  return { modules, packages: present.map(([, name]) => name) }
}

/** Where each module begins, in bytes before the end of the executable, and how long it is. */
function placesFromEnd(modules: NativeModules['modules']): Readonly<Record<string, readonly [number, number]>> {
  let fromEnd = 0
  const places = [...modules].reverse().map(({ name, contents }) => {
    fromEnd += contents.length
    return [name, [fromEnd, contents.length]] as const
  })
  return Object.fromEntries(places)
}

function installed(name: string): string {
  return join(projectRoot, 'node_modules', name)
}

/** Throws when the build has left other files beside the code than the program knows. */
function programFiles(): Readonly<Record<string, string>> {
  const directory = join(projectRoot, 'dist/src')
  const built = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.js(\.map)?$/.test(entry.name))
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name)))
  assert.deepEqual(
    built.sort(),
    [...PROGRAM_FILES].sort(),
    'PROGRAM_FILES in src/program-files.ts is not what is built',
  )
  return Object.fromEntries(
    PROGRAM_FILES.map((path) => [path, write(path.replaceAll('/', '-'), readFileSync(join(directory, path)))]),
  )
}

/** Before the blob goes in: a stripped executable cannot take one, and one that has it breaks when it is stripped. */
function strip(target: Target, file: string): void {
  execFileSync(target === 'linux-arm64' ? 'aarch64-linux-gnu-strip' : 'strip', [file])
}

/** Writes a file for the blob. Returns its path from the scratch directory: the blob contains it, so it is the same each time. */
function write(name: string, contents: string | Buffer): string {
  const file = join(scratch, name)
  writeFileSync(file, contents)
  return name
}
