/** Packages of the registry, pinned by version and checksum. */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../test/support/project-root.js'

/** A package of the registry. */
export interface Pinned {
  readonly package: string
  readonly version: string
  /** SHA-512 of the package, as the registry writes it. */
  readonly integrity: string
}

export type Target = 'linux-x64' | 'linux-arm64'

/** The line of Node in `nodes.json` that is the base of the binary. CI runs tests on the others, too. */
export const BASE_LINE = '22'

/** Node for a target. Throws when `nodes.json` has none. */
export function nodePackage(line: string, target: Target): Pinned {
  const nodes = JSON.parse(readFileSync(join(projectRoot, 'deploy/binary/nodes.json'), 'utf8'))
  const pinned: Pinned | undefined = nodes[line]?.[target]
  if (pinned === undefined) throw new Error(`nodes.json has no Node ${line} for ${target}`)
  return pinned
}

/** A package as `package-lock.json` has it, also when it is not for this machine. `name` is its directory in `node_modules`. */
export function lockedPackage(name: string): Pinned & { readonly license?: string } {
  const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'))
  const entry = packages[`node_modules/${name}`]
  if (entry === undefined) throw new Error(`package-lock.json has no ${name}`)
  const { version, integrity, license } = entry
  return { package: entry.name ?? name.split('node_modules/').at(-1), version, integrity, license }
}

/** Takes a package from the registry, once, and verifies it. Returns the directory of its files, below `place`. */
export function fetchPackage({ package: name, version, integrity }: Pinned, place: string): string {
  const cache = join(projectRoot, 'node_modules/.cache/billhook')
  const archive = join(cache, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  mkdirSync(cache, { recursive: true })
  if (!existsSync(archive)) execFileSync('npm', ['pack', '--silent', '--pack-destination', cache, `${name}@${version}`])
  const sum = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (sum !== integrity) throw new Error(`${archive} is not the package that was pinned`)
  const directory = join(place, name, version)
  if (!existsSync(directory)) {
    mkdirSync(directory, { recursive: true })
    execFileSync('tar', ['-xzf', archive, '-C', directory])
  }
  return join(directory, 'package')
}
