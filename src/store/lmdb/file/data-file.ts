import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { areTreesComplete } from './page-walk.js'

/** LMDB's own name for it. */
export const DATA_FILE = 'data.mdb'

/**
 * The start of LMDB's two meta pages, as the binding builds it for 64 bits, in little-endian order (`MDB_page_header` and
 * `MDB_meta` of liblmdb's mdb.c). Offsets in bytes:
 *
 *     18   page flags                    88   root of the tree of free pages
 *     24   magic number                  136  root of the main tree
 *     28   version of the format, 16 bits
 *     48   page size                     144  last page that was ever used
 *                                        152  transaction that wrote the page
 */
const FLAGS_AT = 18
const MAGIC_AT = 24
const VERSION_AT = 28
const PAGE_SIZE_AT = 48
const FREE_ROOT_AT = 88
const MAIN_ROOT_AT = 136
const LAST_PAGE_AT = 144
const TRANSACTION_AT = 152
const META_BYTES = 160

const META_PAGE_FLAG = 0x08
const MAGIC = 0xbeef_c0de
/** What the binding writes and reads. */
const FORMAT_VERSION = 2
const PAGE_SIZE_MIN = 256
const PAGE_SIZE_MAX = 0x1_0000

const CUT_SHORT = 'it is cut short'

/**
 * Why the data file of a directory is none that LMDB can open, in words; null when it is one, or is not there yet. To be
 * asked first, because the process ends with a segmentation fault or a bus error when LMDB is given anything else.
 */
export function flawOfDataFile(directory: string): string | null {
  const fd = openIfThere(join(directory, DATA_FILE))
  if (fd === null) return null
  try {
    const { size } = fstatSync(fd)
    return size === 0 ? null : flawOf(fd, size)
  } finally {
    closeSync(fd)
  }
}

function flawOf(fd: number, size: number): string | null {
  const first = readMeta(fd, 0)
  if (first === null) return 'it is no LMDB file'
  const pageBytes = first.readUInt32LE(PAGE_SIZE_AT)
  if (pageBytes < PAGE_SIZE_MIN || pageBytes > PAGE_SIZE_MAX) return 'its page size is impossible'
  const second = size < 2 * pageBytes ? null : readMeta(fd, pageBytes)
  if (second === null) return CUT_SHORT
  const isSecondNewer = second.readBigUInt64LE(TRANSACTION_AT) > first.readBigUInt64LE(TRANSACTION_AT)
  const newest = isSecondNewer ? second : first
  const pageCount = Math.floor(size / pageBytes)
  if (newest.readBigUInt64LE(LAST_PAGE_AT) < BigInt(pageCount)) return null
  // LMDB does not write free pages at the end, so a file may be shorter than it seems to have to be, and complete.
  const page = Buffer.alloc(pageBytes)
  const read = (pageNumber: number) => {
    readSync(fd, page, 0, pageBytes, pageNumber * pageBytes)
    return page
  }
  const roots = [newest.readBigUInt64LE(FREE_ROOT_AT), newest.readBigUInt64LE(MAIN_ROOT_AT)]
  return areTreesComplete({ pageBytes, pageCount, read }, roots) ? null : CUT_SHORT
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** The start of a meta page, or null when it is none. */
function readMeta(fd: number, position: number): Buffer | null {
  const meta = Buffer.alloc(META_BYTES)
  if (readSync(fd, meta, 0, META_BYTES, position) !== META_BYTES) return null
  const isMeta = (meta.readUInt16LE(FLAGS_AT) & META_PAGE_FLAG) !== 0
  const isKnown = meta.readUInt32LE(MAGIC_AT) === MAGIC && meta.readUInt16LE(VERSION_AT) === FORMAT_VERSION
  return isMeta && isKnown ? meta : null
}
