import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from './project-root.js'
import type { Machine } from './results.js'

const BYTES_PER_MIB = 1024 * 1024

/** Packages whose speed is measured. */
const PACKAGES = ['uWebSockets.js', 'lmdb', 'secp256k1', '@noble/secp256k1', 'undici', 'fastify', 'pg']

export function describeMachine(versions: Readonly<Record<string, string>>): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryMiB: Math.round(totalmem() / BYTES_PER_MIB),
    os: [distribution(), `${type()} ${release()}`].filter((name) => name !== '').join(', '),
    node: process.version,
    versions: { ...Object.fromEntries(PACKAGES.map((name) => [name, packageVersion(name)])), ...versions },
    commit: commit(),
  }
}

function distribution(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? ''
  } catch {
    // This file exists on Linux only.
    return ''
  }
}

/** Of a package of the service, or of one that only the benchmarks have. */
function packageVersion(name: string): string {
  const file = ['node_modules', 'bench/node_modules']
    .map((packages) => join(projectRoot, packages, name, 'package.json'))
    .find((path) => existsSync(path))
  if (file === undefined) throw new Error(`the package ${name} is not installed`)
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

function commit(): string | null {
  const id = git(['rev-parse', '--short=12', 'HEAD'])
  return id === null ? null : `${id}${git(['status', '--porcelain']) === '' ? '' : '+'}`
}

function git(argv: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', argv, { cwd: projectRoot, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}
