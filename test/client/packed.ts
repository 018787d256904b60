import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../support/project-root.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

/** What the client needs of its package's dependencies. */
const SCOPES = ['@noble', '@scure']

export function run(command: string, argv: readonly string[], cwd: string): SpawnSyncReturns<string> {
  return spawnSync(command, argv, { cwd, encoding: 'utf8', timeout: 120_000 })
}

/** The tarball that `npm pack` makes, and an empty project in which it was unpacked, with no network. */
export class Packed {
  private readonly directory = temporaryDirectory()
  readonly project = join(this.directory.path, 'project')
  readonly tarball: string

  constructor() {
    const { status, stdout, stderr } = run(
      'npm',
      ['pack', '--silent', '--ignore-scripts', '--pack-destination', this.directory.path],
      projectRoot,
    )
    assert.equal(status, 0, stderr)
    this.tarball = join(this.directory.path, stdout.trim())
    const modules = join(this.project, 'node_modules')
    mkdirSync(join(modules, 'billhook'), { recursive: true })
    const unpacked = run('tar', ['-xzf', this.tarball, '--strip-components=1', '-C', 'billhook'], modules)
    assert.equal(unpacked.status, 0, unpacked.stderr)
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
