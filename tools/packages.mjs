import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * What only some commands need is not installed by `npm ci`: it is in directories with a package.json and a lock file of their own.
 *   node tools/packages.mjs install DIRECTORY...  installs what is not there as it is locked
 *   node tools/packages.mjs link DIRECTORY...     is about what is there
 * Both let the compiled files of these directories find it. They are in dist, where Node looks for no packages of test or bench, so a
 * link leads there.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const [command, ...directories] = process.argv.slice(2)

for (const directory of directories) {
  const path = join(root, directory)
  if (command === 'install' && !isAsLocked(path)) {
    process.stdout.write(`Installing the packages of ${directory}\n`)
    if (!install(path)) fail(`the packages of ${directory} could not be installed`)
  }
  if (existsSync(join(path, 'node_modules'))) link(directory)
}

/** Whether everything that is locked is installed and nothing else is. Optional packages may be for other systems. */
function isAsLocked(path) {
  const installedFile = join(path, 'node_modules/.package-lock.json')
  if (!existsSync(installedFile)) return false
  const installed = packagesOf(installedFile)
  const { '': _, ...locked } = packagesOf(join(path, 'package-lock.json'))
  const isThere = ([name, { version, optional = false }]) =>
    name in installed ? installed[name].version === version : optional
  return Object.entries(locked).every(isThere) && Object.keys(installed).every((name) => name in locked)
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

function install(path) {
  // `npm run` names the script of npm, which is no program to start on Windows.
  const { npm_execpath: npm } = process.env
  const [program, ...argv] = npm === undefined ? ['npm'] : [process.execPath, npm]
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  return spawnSync(program, [...argv, ...flags], { cwd: path, stdio: 'inherit' }).status === 0
}

function link(directory) {
  const compiled = join(root, 'dist', directory)
  const packages = join(compiled, 'node_modules')
  mkdirSync(compiled, { recursive: true })
  rmSync(packages, { recursive: true, force: true })
  symlinkSync(join(root, directory, 'node_modules'), packages, 'junction')
}

function fail(reason) {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}
