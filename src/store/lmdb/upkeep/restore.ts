import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../../../base/new-file.js'
import { heirOf } from '../../../base/owned-file.js'
import { writeFailure } from '../../../base/write-failure.js'
import { OperatorError } from '../../../operator-error.js'
import type { Restored, RestoreRequest } from '../../upkeep.js'
import { DATA_FILE, flawOfDataFile } from '../file/data-file.js'
import { SCHEMA_VERSION } from '../file/schema.js'
import { type BackupAbout, readTrailer, type Trailer } from './backup-file.js'
import { holdData } from './held-data.js'

const PIECE_BYTES = 1024 * 1024
const PRIVATE_FILE = 0o600
const PRIVATE_DIRECTORY = 0o700
/** Where everything is put until it has been verified. */
const STAGING = 'restoring'

/**
 * Puts the contents of a backup into an empty directory, or one that it makes. They are verified first: the checksum, every
 * page of the database, and that this program can read it. Throws `OperatorError` when the backup or the directory cannot be used; the
 * directory is then as it was.
 */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  const { file, directory } = request
  const source = await openBackup(file)
  let isMade = false
  try {
    const trailer = trailerOf(source, file)
    const { about } = trailer
    isMade = await takeDirectory(directory)
    const staging = join(directory, STAGING)
    await writing(directory, mkdir(staging, { mode: PRIVATE_DIRECTORY }))
    try {
      await copyOut(source, trailer, staging, request)
      await verifyData(staging, file)
      await putInPlace(staging, directory, about)
    } finally {
      await rm(staging, { recursive: true, force: true })
    }
    return { madeAt: about.madeAt, bytes: about.dataBytes, isOlderVersion: about.dataVersion < SCHEMA_VERSION }
  } catch (error) {
    if (isMade) await rmdir(directory).catch(() => {})
    throw error
  } finally {
    await source.close()
  }
}

async function openBackup(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r')
  } catch (error) {
    throw new OperatorError(`the backup ${file} cannot be opened: ${(error as Error).message}`)
  }
}

function trailerOf(source: FileHandle, file: string): Trailer {
  const trailer = readTrailer(source.fd)
  if ('flaw' in trailer) throw new OperatorError(`${file} cannot be restored: ${trailer.flaw}`)
  const { about } = trailer
  if (about.dataVersion <= SCHEMA_VERSION) return trailer
  throw new OperatorError(
    `${file} was made by a newer Billhook (data version ${about.dataVersion}, this program knows ${SCHEMA_VERSION}): restore it with that version`,
  )
}

/** Whether the directory was made. */
async function takeDirectory(directory: string): Promise<boolean> {
  if (!existsSync(directory)) {
    await mkdir(directory, { mode: PRIVATE_DIRECTORY }).catch((error) => {
      throw new OperatorError(`${directory} cannot be made: ${writeFailure(error)}`)
    })
    return true
  }
  if (!statSync(directory).isDirectory()) throw new OperatorError(`${directory} is not a directory`)
  const [first] = readdirSync(directory)
  if (first === undefined) return false
  throw new OperatorError(
    `${directory} is not empty (it has ${JSON.stringify(first)}): a backup goes into an empty directory`,
  )
}

/** Writes the files that a backup holds, and compares its checksum. */
async function copyOut(
  source: FileHandle,
  { about, hash: expected, hashedBytes }: Trailer,
  staging: string,
  { file, directory, stop, onProgress }: RestoreRequest,
): Promise<void> {
  const hash = createHash('sha256')
  const piece = Buffer.alloc(PIECE_BYTES)
  let position = 0
  const readUpTo = async (end: number, take: (bytes: Buffer) => Promise<unknown>) => {
    while (position < end) {
      stop.throwIfAborted()
      const { bytesRead } = await source.read(piece, 0, Math.min(PIECE_BYTES, end - position), position)
      if (bytesRead === 0) throw new OperatorError(`${file} became shorter while it was read`)
      hash.update(piece.subarray(0, bytesRead))
      await take(piece.subarray(0, bytesRead))
      position += bytesRead
      onProgress(position, hashedBytes)
    }
  }
  for (const { name, bytes } of [{ name: DATA_FILE, bytes: about.dataBytes }, ...about.companions]) {
    const target = await writing(directory, open(join(staging, name), 'wx', PRIVATE_FILE))
    try {
      // Root restores for the user whose directory it is.
      const heir = heirOf(directory)
      if (heir !== null) await writing(directory, target.chown(heir.uid, heir.gid))
      await readUpTo(position + bytes, (taken) => writing(directory, writeAll(target, taken)))
      await writing(directory, target.sync())
    } finally {
      await target.close()
    }
  }
  await readUpTo(hashedBytes, async () => {})
  if (!hash.digest().equals(expected)) throw new OperatorError(`${file} is damaged: its checksum is another one`)
}

async function writing<T>(directory: string, step: Promise<T>): Promise<T> {
  return await step.catch((error: unknown) => {
    throw new OperatorError(`${directory} cannot be written: ${writeFailure(error)}`)
  })
}

async function writeAll(target: FileHandle, bytes: Buffer): Promise<void> {
  for (let from = 0; from < bytes.length; ) from += (await target.write(bytes, from)).bytesWritten
}

async function verifyData(staging: string, file: string): Promise<void> {
  const flaw = flawOfDataFile(staging, 'all pages')
  if (flaw !== null) throw new OperatorError(`${file} cannot be restored: its database is not complete: ${flaw}`)
  const held = await holdData(staging)
  await held.close()
}

/** The data file goes last: a directory with it is complete. */
async function putInPlace(staging: string, directory: string, { companions }: BackupAbout): Promise<void> {
  for (const name of [...companions.map((companion) => companion.name), DATA_FILE]) {
    await rename(join(staging, name), join(directory, name))
  }
  await syncDirectory(directory)
  await syncDirectory(dirname(join(directory, '.')))
}
