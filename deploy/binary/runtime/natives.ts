/**
 * The native modules of the single binary, which stand behind what Linux maps of the executable. Linux loads a library from a
 * file only, so each one is copied to a file that has no name, and loaded through its descriptor. The descriptor stays open:
 * glibc recognises a loaded library by its path.
 */

import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { getAsset } from 'node:sea'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'

/** `O_TMPFILE` of Linux, which Node does not name: a file without a name, in the directory that is opened. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY
/** Passes the paths to worker threads, which load the same files. */
const PATHS = 'native modules of billhook'
/** The executable that runs, also when its file has been replaced by a newer one. */
const EXECUTABLE = '/proc/self/exe'
const COPIED_AT_ONCE_BYTES = 256 * 1024
/** Modules that worker threads load. */
const OF_WORKERS = ['secp256k1']

type NativeModule = Record<string, unknown>

const loaded = new Map<string, NativeModule>()
const paths = new Map<string, string>((getEnvironmentData(PATHS) ?? []) as [string, string][])

/** The exports of a native module. Throws when no directory takes a file that may be executed. */
export function loadNative(name: string): NativeModule {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const path = paths.get(name)
  const exports = path === undefined ? loadFromNewFile(name) : load(path)
  loaded.set(name, exports)
  return exports
}

/** Writes the modules that worker threads need to files that all of them load. Call it before the first one starts. */
export function shareNatives(): void {
  if (!isMainThread) return
  for (const name of OF_WORKERS) {
    try {
      loadNative(name)
    } catch {
      // Who needs it tries again, and reports why it cannot be loaded.
    }
  }
  setEnvironmentData(PATHS, [...paths])
}

function loadFromNewFile(name: string): NativeModule {
  const failures: string[] = []
  for (const directory of directories()) {
    try {
      const fd = openSync(directory, constants.O_RDWR | O_TMPFILE, 0o700)
      copyModule(name, fd)
      const path = `/proc/self/fd/${fd}`
      const exports = load(path)
      paths.set(name, path)
      return exports
    } catch (error) {
      failures.push(`${directory}: ${error instanceof Error ? error.message : error}`)
    }
  }
  throw new Error(
    `no directory takes an executable file; set BILLHOOK_NATIVE_DIR to one that does (${failures.join('; ')})`,
  )
}

/** Piece by piece: an asset is mapped, so that all of it would count as memory of the process from then on. */
function copyModule(name: string, to: number): void {
  const places = JSON.parse(getAsset('natives.json', 'utf8')) as Record<string, readonly [number, number]>
  const [fromEnd, length] = places[name] ?? [0, 0]
  const executable = openSync(EXECUTABLE, 'r')
  try {
    const start = fstatSync(executable).size - fromEnd
    const piece = new Uint8Array(COPIED_AT_ONCE_BYTES)
    for (let copied = 0; copied < length; ) {
      const read = readSync(executable, piece, 0, Math.min(piece.length, length - copied), start + copied)
      if (read === 0) throw new Error(`${EXECUTABLE} ends early`)
      for (let written = 0; written < read; ) written += writeSync(to, piece, written, read - written)
      copied += read
    }
  } finally {
    closeSync(executable)
  }
}

function load(path: string): NativeModule {
  const module = { exports: {} }
  process.dlopen(module, path)
  return module.exports
}

/** Where to write, in this order: a directory that is mounted `noexec`, read-only or absent is skipped. */
function directories(): readonly string[] {
  const { BILLHOOK_NATIVE_DIR, RUNTIME_DIRECTORY, BILLHOOK_DATA } = process.env
  const flag = process.argv.indexOf('--data')
  const data = flag === -1 ? BILLHOOK_DATA : process.argv[flag + 1]
  const runtime = RUNTIME_DIRECTORY?.split(':') ?? []
  return [BILLHOOK_NATIVE_DIR, ...runtime, '/dev/shm', tmpdir(), data].filter(
    (path) => path !== undefined && path !== '',
  ) as string[]
}
