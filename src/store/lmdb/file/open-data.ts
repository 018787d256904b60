import { accessSync, closeSync, constants, existsSync, lstatSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeOwned } from '../../../base/owned-file.js'
import { OperatorError } from '../../../operator-error.js'
import { type Environment, openEnvironment } from '../tables/tables.js'
import { accessFailure } from './access-failure.js'
import { DATA_FILE, flawOfDataFile } from './data-file.js'
import type { DirectoryLock } from './directory-lock.js'

/** LMDB's table of readers. */
const READERS_FILE = 'lock.mdb'

type Access = 'written' | 'only read'

/**
 * Opens the database of a directory. What would end the process inside LMDB is found out before: files that this user may not open, and
 * pages that are damaged. Without the `lock` of the directory only the meta pages can be judged, because others may write; after a process
 * that was killed or crashed, or came across damage, all pages are. Throws `OperatorError` with one line for either. A database that is made here belongs to
 * the owner of the directory.
 */
export function openData(directory: string, access: Access, lock: Pick<DirectoryLock, 'before'> | null): Environment {
  const file = join(directory, DATA_FILE)
  const isNew = !existsSync(file)
  if (!isNew && !statSync(file).isFile()) throw damagedOrForeign(directory, `${DATA_FILE} is no file`)
  try {
    for (const name of isNew ? [READERS_FILE] : [DATA_FILE, READERS_FILE]) tryAccess(directory, name, access)
  } catch (error) {
    throw new OperatorError(`the data directory ${directory} cannot be used: ${(error as Error).message}`)
  }
  try {
    const flaw = flawOfDataFile(
      directory,
      lock === null ? 'meta pages' : lock.before === 'peace' ? 'branches' : 'all pages',
    )
    if (flaw !== null) throw new Error(flaw)
    if (isNew && !makeOwned(file)) throw new Error(`${DATA_FILE} is a link that leads nowhere`)
    return openEnvironment(directory, access)
  } catch (error) {
    // The next start must not take it for one that lost its contents.
    if (isNew && statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file)
    if (isNew) throw new OperatorError(`the data directory ${directory} cannot be used: ${(error as Error).message}`)
    throw damagedOrForeign(directory, (error as Error).message)
  }
}

function damagedOrForeign(directory: string, flaw: string): OperatorError {
  return new OperatorError(`the data directory ${directory} holds a damaged or foreign database: ${flaw}`)
}

/** Throws unless this process may open a file as LMDB will. */
function tryAccess(directory: string, name: string, access: Access): void {
  const path = join(directory, name)
  try {
    if (name === DATA_FILE) closeSync(openSync(path, access === 'written' ? 'r+' : 'r'))
    else tryReaders(path)
  } catch (error) {
    // LMDB reads without a table of readers where nothing can be written.
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EROFS' && access === 'only read' && name === READERS_FILE) return
    throw new Error(`${name}: ${accessFailure(error as NodeJS.ErrnoException, path)}`)
  }
}

/**
 * The table of readers is made where it is missing, and else not opened: when this process closed it, the locks that LMDB may have on it
 * would be gone.
 */
function tryReaders(path: string): void {
  makeOwned(path)
  if (!lstatSync(path).isFile()) throw new Error('it is no file')
  accessSync(path, constants.R_OK | constants.W_OK)
}
