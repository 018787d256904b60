import { closeSync, constants, fchownSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const PRIVATE_MODE = 0o600
const ROOT = 0

/** The user that a file belongs to. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * Who is to get what this process makes in a directory: its owner, where root works for another user. Null for everybody else,
 * whose files are their own anyway.
 */
export function heirOf(directory: string): Owner | null {
  if (process.geteuid?.() !== ROOT) return null
  const { uid, gid } = statSync(directory)
  return uid === ROOT ? null : { uid, gid }
}

/** Opens a file for reading and appending; makes it if it is not there. Root must not write to what another user has linked there. */
export function openOwned(path: string): number {
  makeOwned(path)
  return openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW)
}

/**
 * Makes an empty file, unless something is there already: answers whether it did. In a directory that belongs to another user, root gives
 * it to that user. Only a file that is made here changes hands, so a link that the user has put in its place leads nowhere.
 */
export function makeOwned(path: string): boolean {
  const heir = heirOf(dirname(path))
  let fd: number
  try {
    fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, PRIVATE_MODE)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
  try {
    if (heir !== null) fchownSync(fd, heir.uid, heir.gid)
    return true
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}
