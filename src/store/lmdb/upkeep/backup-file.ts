import { fstatSync, readSync } from 'node:fs'

/*
 * The form of a backup:
 *
 *     data file of LMDB │ other files │ about, in JSON │ SHA-256 of everything before (32) │ bytes of about (4) │ mark (12)
 *
 * What follows the data file does not disturb LMDB, which takes as many pages as its meta pages name.
 */

const MARK = Buffer.from('billhook-bak')
const HASH_BYTES = 32
const LENGTH_BYTES = 4
const END_BYTES = HASH_BYTES + LENGTH_BYTES + MARK.length
const ABOUT_BYTES_MAX = 65_536
const FORMAT = 1

/** A file that is kept beside the data file. */
export interface Companion {
  readonly name: string
  readonly bytes: number
}

/** What a backup says of itself. */
export interface BackupAbout {
  /** The version of the data. */
  readonly dataVersion: number
  /** The moment that it holds, Unix ms. */
  readonly madeAt: number
  readonly dataBytes: number
  readonly companions: readonly Companion[]
}

/** What stands behind the contents of a backup. */
export interface Trailer {
  readonly about: BackupAbout
  /** SHA-256 of the first `hashedBytes`. */
  readonly hash: Buffer
  readonly hashedBytes: number
}

/** The bytes of the description, which are hashed too. */
export function aboutBytes(about: BackupAbout): Buffer {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...about }))
}

/** What follows the description. */
export function endBytes(about: Buffer, hash: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(about.length)
  return Buffer.concat([hash, length, MARK])
}

/** The end of a backup; or why the file is none, in words. */
export function readTrailer(fd: number): Trailer | { readonly flaw: string } {
  const { size } = fstatSync(fd)
  const end = readAt(fd, size - END_BYTES, END_BYTES)
  if (end === null || !end.subarray(HASH_BYTES + LENGTH_BYTES).equals(MARK)) {
    return { flaw: 'it is no backup, or it is cut short' }
  }
  const length = end.readUInt32BE(HASH_BYTES)
  const hashedBytes = size - END_BYTES
  const packed = length > ABOUT_BYTES_MAX ? null : readAt(fd, hashedBytes - length, length)
  const about = packed === null ? null : parseAbout(packed)
  if (about === null) return { flaw: 'its description cannot be read' }
  const contents = about.companions.reduce((sum, { bytes }) => sum + bytes, about.dataBytes)
  if (contents !== hashedBytes - length) return { flaw: 'its length is not what it says' }
  return { about, hash: Buffer.from(end.subarray(0, HASH_BYTES)), hashedBytes }
}

function readAt(fd: number, position: number, length: number): Buffer | null {
  if (position < 0) return null
  const bytes = Buffer.alloc(length)
  return readSync(fd, bytes, 0, length, position) === length ? bytes : null
}

/** A name that leads nowhere else. */
const COMPANION_NAME = /^[a-z][a-z0-9-]{0,60}\.jsonl$/

function parseAbout(packed: Buffer): BackupAbout | null {
  let value: Readonly<Record<string, unknown>>
  try {
    value = JSON.parse(packed.toString()) ?? {}
  } catch {
    return null
  }
  const { format, dataVersion, madeAt, dataBytes, companions } = value
  if (format !== FORMAT || !isCount(dataVersion) || !isMoment(madeAt) || !isCount(dataBytes)) return null
  if (!Array.isArray(companions) || !companions.every(isCompanion)) return null
  return { dataVersion, madeAt, dataBytes, companions }
}

function isCompanion(value: unknown): value is Companion {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('bytes' in value)) return false
  return typeof value.name === 'string' && COMPANION_NAME.test(value.name) && isCount(value.bytes)
}

/** Unix ms that a calendar has (ECMA-262, Time Values): what is told of a backup is its date. */
function isMoment(value: unknown): value is number {
  return isCount(value) && !Number.isNaN(new Date(value).getTime())
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
