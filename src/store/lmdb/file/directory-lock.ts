import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tryLock, unlock } from 'fs-native-extensions'
import { openOwned } from '../../../base/owned-file.js'
import { OperatorError } from '../../../operator-error.js'
import { accessFailure } from './access-failure.js'

const LOCK_FILE = 'billhook.lock'

/** In place of the process that holds the directory: the last one came across damage. */
const DAMAGE = 'damage was found'

export interface DirectoryLock {
  /**
   * How the process that had it before ended: in peace, after it had come across damage, or without releasing it, because it was
   * killed, it crashed, or the machine lost power.
   */
  readonly before: 'peace' | 'damage' | 'death'
  /** In peace, unless it says otherwise. After `refusal`, the next process is told as this one was: what it found is still there. */
  release(after?: 'damage' | 'refusal'): void
}

/**
 * Takes the data directory for this process, and creates it for this user alone when it is missing. The lock is the kernel's,
 * on an open file: it ends with the process, however that ends, and a file left behind does not lock the directory. Throws `OperatorError` when
 * another process has it.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const fd = openLockFile(directory)
  const isFree = tryLock(fd)
  const holder = readFileSync(fd, 'utf8').trim()
  if (!isFree) {
    closeSync(fd)
    throw new OperatorError(
      `the data directory ${directory} is in use by another process${holder === '' ? '' : ` (${holder})`}`,
    )
  }
  leaveWord(fd, `pid ${process.pid}`)
  return {
    before: holder === '' ? 'peace' : holder === DAMAGE ? 'damage' : 'death',
    release(after) {
      leaveWord(fd, after === 'refusal' ? holder : after === 'damage' ? DAMAGE : '')
      unlock(fd)
      closeSync(fd)
    },
  }
}

function leaveWord(fd: number, word: string): void {
  ftruncateSync(fd)
  if (word !== '') writeSync(fd, `${word}\n`, 0)
}

/** The process that holds a directory, as it named itself, or null when nobody does. Nothing is taken or changed. */
export function holderOf(directory: string): string | null {
  const path = join(directory, LOCK_FILE)
  if (!existsSync(path)) return null
  const fd = openSync(path, 'r')
  try {
    if (!tryLock(fd, { shared: true })) return readFileSync(fd, 'utf8').trim() || 'one that did not name itself'
    unlock(fd)
    return null
  } finally {
    closeSync(fd)
  }
}

function openLockFile(directory: string): number {
  try {
    makeDirectory(directory)
    return openOwned(join(directory, LOCK_FILE))
  } catch (error) {
    throw new OperatorError(
      `the data directory ${directory} cannot be used: ${accessFailure(error as NodeJS.ErrnoException, directory)}`,
    )
  }
}

/**
 * Makes the directory, and those above it that are not there, for this user alone. One after the other: Node's own
 * recursion never ends where a directory is there but nothing can be made in it, as in /proc.
 */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return
  const parent = dirname(directory)
  if (parent !== directory) makeDirectory(parent)
  try {
    mkdirSync(directory, 0o700)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
