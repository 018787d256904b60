import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { readPrivateKey } from '../crypto/signing-key.js'
import type { CommandIo } from './command.js'

const PRIVATE_MODE = 0o600
const OTHERS_BITS = 0o077
const MODE_BITS = 0o777

/** The private key in a file. Warns when others may read it; throws when it holds none. */
export function readKeyFile(path: string, io: Pick<CommandIo, 'error'>): Uint8Array {
  const fd = openOrThrow(path, 'r')
  try {
    const stat = fstatSync(fd)
    if (stat.isFile() && (stat.mode & OTHERS_BITS) !== 0) {
      const mode = (stat.mode & MODE_BITS).toString(8)
      io.error(
        `Warning: other users may read the private key in ${path} (mode ${mode}). Give chmod 600, or use a new key.`,
      )
    }
    const key = readPrivateKey(readFileSync(fd, 'utf8'))
    if (key instanceof Uint8Array) return key
    throw new Error(`${path} ${key.flaw}`)
  } finally {
    closeSync(fd)
  }
}

/** Writes a private key into a new file for this user alone, on disk when it returns. Throws when the file exists. */
export function writeKeyFile(path: string, pem: string): void {
  const fd = openOrThrow(path, 'wx')
  try {
    writeSync(fd, pem)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function openOrThrow(path: string, flags: 'r' | 'wx'): number {
  try {
    return openSync(path, flags, PRIVATE_MODE)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new Error(`${path} exists, and a private key is never overwritten`)
    throw new Error(`${path} cannot be ${flags === 'r' ? 'read' : 'written'}: ${message}`)
  }
}
