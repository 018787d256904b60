import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasUnreleased, unreleasedText, withRelease } from './changelog.js'
import { readSigningKey, signFiles } from './signature.js'
import { flawOfVersion } from './version.js'

/** Files that name the image or the chart by its version. */
export const IMAGE_FILES = [
  'deploy/README.md',
  'deploy/cluster/Dockerfile',
  'deploy/cluster/compose.yaml',
  'deploy/container/Dockerfile',
  'deploy/container/compose.yaml',
  'deploy/kubernetes/billhook/Chart.yaml',
  'deploy/kubernetes/hands.yaml',
  'deploy/kubernetes/one.yaml',
  'deploy/kubernetes/several.yaml',
  'docs/kubernetes.md',
] as const
/** Files that a release changes. */
const CHANGED = [
  ...IMAGE_FILES,
  'CHANGELOG.md',
  'packages/client/CHANGELOG.md',
  'package.json',
  'package-lock.json',
  'src/version.ts',
  'test/promises/names.txt',
] as const
/** A package with versions of its own, which are raised by hand. */
const CLIENT = 'packages/client'
/** Written beside each binary; a release has one list of sums for all files. */
const OWN_SUM = '.sha256'

export interface ReleaseOrder {
  /** The checkout. */
  readonly root: string
  readonly version: string
  /** ISO 8601, the day. */
  readonly date: string
  /** The PEM file of the Ed25519 key that signs. */
  readonly keyFile: string | undefined
  /** Runs a program in the checkout and answers what it printed. Throws when it fails. */
  run(program: string, args: readonly string[]): string
}

/**
 * Writes the version into the checkout and makes its files in `dist/release`. Answers their directory. Throws, with the
 * checkout as it was, when anything is wrong. Nothing leaves the machine, and nothing is committed.
 */
export function makeRelease(order: ReleaseOrder): string {
  const { root, run } = order
  const key = checked(order)
  try {
    writeVersion(order)
    const directory = join(root, 'dist/release')
    build(order, directory)
    signFiles(directory, key)
    return directory
  } catch (error) {
    run('git', ['checkout', '--quiet', '--', ...CHANGED])
    throw error
  }
}

/** Refuses what cannot be released, before anything is changed. */
function checked({ root, version, date, keyFile, run }: ReleaseOrder) {
  const dirty = run('git', ['status', '--porcelain']).trim()
  if (dirty !== '') throw new Error(`the checkout has changes that are not committed:\n${dirty}`)
  const { version: present } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const flaw = flawOfVersion(version, present, run('git', ['tag', '--list']).split('\n'))
  if (flaw !== null) throw new Error(flaw)
  unreleasedText(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
  changelogOfClient(root, date)
  if (keyFile === undefined) throw new Error('BILLHOOK_RELEASE_KEY must name the PEM file of an Ed25519 key')
  return readSigningKey(keyFile)
}

function writeVersion({ root, version, date, run }: ReleaseOrder): void {
  const { version: present } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const edit = (name: string, change: (text: string) => string) =>
    writeFileSync(join(root, name), change(readFileSync(join(root, name), 'utf8')))
  edit('CHANGELOG.md', (text) => withRelease(text, version, date))
  writeFileSync(join(root, CLIENT, 'CHANGELOG.md'), changelogOfClient(root, date))
  edit('src/version.ts', (text) => text.replace(/VERSION = '[^']*'/, `VERSION = '${version}'`))
  for (const name of IMAGE_FILES) edit(name, (text) => text.replaceAll(present, version))
  run('npm', ['version', '--no-git-tag-version', '--allow-same-version', version])
}

/** With what changed under the version of the client. Throws when that version is told of already. */
function changelogOfClient(root: string, date: string): string {
  const text = readFileSync(join(root, CLIENT, 'CHANGELOG.md'), 'utf8')
  if (!hasUnreleased(text)) return text
  const { version } = JSON.parse(readFileSync(join(root, CLIENT, 'package.json'), 'utf8'))
  try {
    return withRelease(text, version, date)
  } catch (cause) {
    throw new Error(`${CLIENT} has changed since its version ${version}: raise it in its package.json`, { cause })
  }
}

/** Makes the files, and promises the names of the version. The first build begins with a clean one of everything. */
function build({ root, run }: ReleaseOrder, directory: string): void {
  run('npm', ['run', 'build:deb'])
  run('node', ['dist/deploy/binary/build.js', 'linux-arm64'])
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  for (const folder of ['dist/bin', 'dist/deb'].map((name) => join(root, name)).filter(existsSync)) {
    const names = readdirSync(folder).filter((name) => !name.endsWith(OWN_SUM))
    for (const name of names) copyFileSync(join(folder, name), join(directory, name))
  }
  run('node', ['dist/test/promises/promise.js'])
  for (const place of ['.', CLIENT]) run('npm', ['pack', '--silent', '--pack-destination', directory, `./${place}`])
}
