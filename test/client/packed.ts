import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { projectRoot } from '../support/project-root.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

/** Where the dependencies of the client are. */
const SCOPES = ['@noble', '@scure']

export function run(command: string, argv: readonly string[], cwd: string): SpawnSyncReturns<string> {
  return spawnSync(command, argv, { cwd, encoding: 'utf8', timeout: 120_000 })
}

/** The tarball that `npm pack` makes, and an empty project in which it was unpacked, with no network. */
export class Packed {
  private readonly directory = temporaryDirectory()
  readonly project = join(this.directory.path, 'project')
  readonly tarball: string
  /** Where the project has the package. */
  readonly installed: string

  constructor() {
    const { status, stdout, stderr } = run(
      'npm',
      ['pack', '--silent', '--ignore-scripts', '--pack-destination', this.directory.path],
      join(projectRoot, 'packages/client'),
    )
    assert.equal(status, 0, stderr)
    this.tarball = join(this.directory.path, stdout.trim())
    const modules = join(this.project, 'node_modules')
    this.installed = join(modules, '@billhook/client')
    mkdirSync(this.installed, { recursive: true })
    unpack(this.tarball, this.installed)
    for (const scope of SCOPES) symlinkSync(join(projectRoot, 'node_modules', scope), join(modules, scope))
    this.write('package.json', '{"private":true}\n')
  }

  write(name: string, text: string): string {
    const path = join(this.project, name)
    writeFileSync(path, text)
    return path
  }

  /** A further empty project. */
  emptyProject(name: string): string {
    const path = join(this.directory.path, name)
    mkdirSync(path)
    writeFileSync(join(path, 'package.json'), '{"private":true}\n')
    return path
  }

  remove(): void {
    this.directory.remove()
  }
}

/** Where the fields of a header are (POSIX.1-2017, pax, "ustar Interchange Format"). */
const USTAR = { block: 512, name: [0, 100], size: [124, 136], type: [156, 157], prefix: [345, 500] } as const
const IS_FILE = '0'

/** Writes the files of a package, which are all below `package/` in its tarball. */
function unpack(tarball: string, directory: string): void {
  const archive = gunzipSync(readFileSync(tarball))
  for (let at = 0; archive[at] !== 0; ) {
    const field = ([from, to]: readonly [number, number]) =>
      archive.toString('utf8', at + from, at + to).split('\0', 1)[0]
    assert.equal(field(USTAR.type), IS_FILE)
    const size = Number.parseInt(field(USTAR.size) ?? '', 8)
    const path = join(directory, relative('package', join(field(USTAR.prefix) ?? '', field(USTAR.name) ?? '')))
    mkdirSync(dirname(path), { recursive: true })
    at += USTAR.block
    writeFileSync(path, archive.subarray(at, at + size))
    at += Math.ceil(size / USTAR.block) * USTAR.block
  }
}
