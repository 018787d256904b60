/**
 * Builds the Debian package from the single binary: `node dist/deploy/debian/build.js [<version>]` writes
 * `dist/deb/billhook_<version>_amd64.deb`. The same sources give the same bytes.
 */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { VERSION } from '../../src/version.js'
import { projectRoot } from '../../test/support/project-root.js'
import { BASE_LINE, fetchPackage, nodePackage } from '../binary/packages.js'
import { packageLicenses } from './licenses.js'
import { manPage } from './man-page.js'

const ARCHITECTURE = 'amd64'
const BINARY = join(projectRoot, 'dist/bin/billhook-linux-x64')
/** Read and written by everybody who may, as Debian has it. */
const MODES = { program: 0o755, file: 0o644, settings: 0o640 }
const BYTES_PER_KIB = 1024
/** Folders of docs/ that the package leaves out. */
const NOT_FOR_OPERATORS: readonly string[] = ['benchmarks', 'internals']
/** Where shells look for what completes a command. */
const COMPLETIONS: Readonly<Record<string, string>> = {
  bash: 'usr/share/bash-completion/completions/billhook',
  zsh: 'usr/share/zsh/vendor-completions/_billhook',
  fish: 'usr/share/fish/vendor_completions.d/billhook.fish',
}

const version = process.argv[2] ?? VERSION
const date = new Date(Number(sourceDate()) * 1000)
const scratch = mkdtempSync(join(tmpdir(), 'billhook-deb-'))
const tree = join(scratch, 'tree')
process.umask(0o022)
try {
  const deb = join(projectRoot, `dist/deb/billhook_${version}_${ARCHITECTURE}.deb`)
  putFiles()
  putControl()
  mkdirSync(dirname(deb), { recursive: true })
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--threads-max=1', '--build', tree, deb], {
    env: { ...process.env, SOURCE_DATE_EPOCH: sourceDate() },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const sum = createHash('sha256').update(readFileSync(deb)).digest('hex')
  process.stdout.write(`${sum}  ${deb}\n`)
} finally {
  rmSync(scratch, { recursive: true })
}

/** Seconds since 1970 that stand for the time of the sources: SOURCE_DATE_EPOCH, else the time of the commit. */
function sourceDate(): string {
  const given = process.env['SOURCE_DATE_EPOCH']
  if (given !== undefined) return given
  return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: projectRoot, encoding: 'utf8' }).trim()
}

function putFiles(): void {
  put('usr/bin/billhook', readFileSync(BINARY), MODES.program)
  put('lib/systemd/system/billhook.service', source('deploy/systemd/billhook.service'))
  put('etc/billhook/billhook.env', source('deploy/billhook.env'), MODES.settings)
  put('usr/share/man/man1/billhook.1.gz', compressed(manPage(version, date.toISOString().slice(0, 10))))
  for (const [shell, path] of Object.entries(COMPLETIONS))
    put(path, execFileSync(BINARY, ['completions', shell], { encoding: 'utf8' }))
  put('usr/share/lintian/overrides/billhook', source('deploy/debian/lintian-overrides'))
  const doc = 'usr/share/doc/billhook'
  put(`${doc}/copyright`, source('deploy/debian/copyright'))
  put(`${doc}/changelog.gz`, compressed(debianChangelog()))
  put(`${doc}/CHANGELOG.md.gz`, compressed(source('CHANGELOG.md')))
  put(`${doc}/third-party-licenses.gz`, compressed(`${nodeLicense()}\n${packageLicenses(projectRoot)}`))
  const docs = readdirSync(join(projectRoot, 'docs'), { withFileTypes: true })
  for (const { name } of docs.filter((entry) => entry.name.endsWith('.md')))
    put(`${doc}/docs/${name}`, source(`docs/${name}`))
  for (const { name } of docs.filter((entry) => entry.isDirectory() && !NOT_FOR_OPERATORS.includes(entry.name))) {
    cpSync(join(projectRoot, 'docs', name), join(tree, doc, 'docs', name), { recursive: true })
    chmodTree(join(tree, doc, 'docs', name))
  }
  for (const folder of ['prometheus', 'grafana', 'nginx', 'caddy', 'haproxy', 'proxy'])
    cpSync(join(projectRoot, 'deploy', folder), join(tree, doc, 'examples', folder), { recursive: true })
  chmodTree(join(tree, doc, 'examples'))
}

function putControl(): void {
  const sums = filesOf(tree).map((path) => `${md5(join(tree, path))}  ${path}\n`)
  const kib = filesOf(tree).reduce(
    (sum, path) => sum + Math.ceil(readFileSync(join(tree, path)).length / BYTES_PER_KIB),
    0,
  )
  const values: Readonly<Record<string, string>> = {
    VERSION: version,
    ARCHITECTURE,
    MAINTAINER: maintainer(),
    INSTALLED_SIZE: String(kib),
    DEPENDS: libraries(),
  }
  const control = source('deploy/debian/control').replace(/@(\w+)@/g, (_, name: string) => values[name] ?? '')
  put('DEBIAN/control', control)
  put('DEBIAN/conffiles', '/etc/billhook/billhook.env\n')
  put('DEBIAN/md5sums', sums.join(''))
  for (const script of ['postinst', 'prerm', 'postrm'])
    put(`DEBIAN/${script}`, source(`deploy/debian/${script}`), MODES.program)
}

/** Who built it, by the variables of Debian's tools. */
function maintainer(): string {
  const { DEBFULLNAME = 'Billhook contributors', DEBEMAIL = 'maintainers@billhook.example' } = process.env
  return `${DEBFULLNAME} <${DEBEMAIL}>`
}

/** The packages of the shared libraries that the executable is linked to. */
function libraries(): string {
  const place = join(scratch, 'libraries')
  mkdirSync(join(place, 'debian'), { recursive: true })
  writeFileSync(join(place, 'debian/control'), `Source: billhook\n\nPackage: billhook\nArchitecture: ${ARCHITECTURE}\n`)
  const found = execFileSync('dpkg-shlibdeps', ['--warnings=0', '-O', BINARY], { cwd: place, encoding: 'utf8' })
  return found.replace('shlibs:Depends=', '').trim()
}

function debianChangelog(): string {
  const stamp = date.toUTCString().replace('GMT', '+0000')
  return `billhook (${version}) stable; urgency=medium

  * The changes are in /usr/share/doc/billhook/CHANGELOG.md.gz.

 -- ${maintainer()}  ${stamp}
`
}

/** The licences of Node and of what Node contains, from the package that the single binary was built from. */
function nodeLicense(): string {
  return readFileSync(
    join(fetchPackage(nodePackage(BASE_LINE, 'linux-x64'), join(scratch, 'packages')), 'LICENSE'),
    'utf8',
  )
}

function source(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

/** As `gzip -9n` does: without a name and a time. */
function compressed(text: string): Buffer {
  return gzipSync(text, { level: 9 })
}

function put(path: string, contents: string | Buffer, mode = MODES.file): void {
  const file = join(tree, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, contents)
  chmodSync(file, mode)
}

function chmodTree(directory: string): void {
  for (const path of filesOf(directory)) chmodSync(join(directory, path), MODES.file)
}

/** The files below a directory, in a fixed order. */
function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()
}

function md5(file: string): string {
  return createHash('md5').update(readFileSync(file)).digest('hex')
}
