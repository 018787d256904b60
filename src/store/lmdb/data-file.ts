import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** LMDB's own name for it. */
export const DATA_FILE = 'data.mdb'

/**
 * The start of LMDB's two meta pages, in words of 32 bits in the machine's order (`MDB_page_header` and `MDB_meta` of
 * liblmdb's mdb.c):
 *
 *     word 4, upper half   page flags
 *     word 6               magic number
 *     word 7               version of the format, lower half
 *     word 12              page size
 */
const HEADER_WORDS = 13
const FLAGS_WORD = 4
const MAGIC_WORD = 6
const VERSION_WORD = 7
const PAGE_SIZE_WORD = 12

const META_PAGE_FLAG = 0x08
const MAGIC = 0xbeef_c0de
/** What the binding writes and reads. */
const FORMAT_VERSION = 2
const PAGE_SIZE_MIN = 256
const PAGE_SIZE_MAX = 0x1_0000

/**
 * Why the data file of a directory is none that LMDB can open, in words; null when it is one, or is not there yet. To be
 * asked first, because the binding ends the process with a segmentation fault when it is given anything else.
 */
export function flawOfDataFile(directory: string): string | null {
  const fd = openIfThere(join(directory, DATA_FILE))
  if (fd === null) return null
  try {
    const { size } = fstatSync(fd)
    if (size === 0) return null
    const first = readHeader(fd, 0)
    if (first === null) return 'it is no LMDB file'
    const pageSize = first[PAGE_SIZE_WORD] ?? 0
    if (pageSize < PAGE_SIZE_MIN || pageSize > PAGE_SIZE_MAX) return 'its page size is impossible'
    return size < 2 * pageSize || readHeader(fd, pageSize) === null ? 'it is cut short' : null
  } finally {
    closeSync(fd)
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** The words at the start of a meta page, or null when it is none. */
function readHeader(fd: number, position: number): Uint32Array | null {
  const words = new Uint32Array(HEADER_WORDS)
  if (readSync(fd, words, 0, words.byteLength, position) !== words.byteLength) return null
  const isMeta = ((words[FLAGS_WORD] ?? 0) >>> 16) & META_PAGE_FLAG
  const version = (words[VERSION_WORD] ?? 0) & 0xffff
  return isMeta !== 0 && words[MAGIC_WORD] === MAGIC && version === FORMAT_VERSION ? words : null
}
