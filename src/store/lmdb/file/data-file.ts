import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readFailure } from '../../../base/read-failure.js'
import { OperatorError } from '../../../operator-error.js'
import { CUT_SHORT, type FileShape, TREE_BYTES, walkTrees } from './tree-walk.js'

/** LMDB's own name for it. */
export const DATA_FILE = 'data.mdb'

/**
 * The start of LMDB's two meta pages, as the binding builds it for 64 bits, in little-endian order (`MDB_page_header` and
 * `MDB_meta` of liblmdb's mdb.c). Offsets in bytes:
 *
 *     18   page flags                    48   tree of free pages, which begins with the page size
 *     24   magic number                  96   main tree
 *     28   version of the format, 16 bits
 *                                        144  last page that was ever used
 *                                        152  transaction that wrote the page
 */
const FLAGS_AT = 18
const MAGIC_AT = 24
const VERSION_AT = 28
const PAGE_SIZE_AT = 48
const LAST_PAGE_AT = 144
const TRANSACTION_AT = 152
const META_BYTES = 160

const META_PAGE_FLAG = 0x08
const MAGIC = 0xbeef_c0de
/** What the binding writes and reads. */
const FORMAT_VERSION = 2
const PAGE_SIZE_MIN = 256
const PAGE_SIZE_MAX = 0x1_0000

const EMPTY = `it is empty: restore a backup, or remove ${DATA_FILE} if a new store is to begin here`

/** Where the descriptions of trees begin in a meta page. */
const FREE_TREE_AT = 48
const MAIN_TREE_AT = 96

/** Up to so many pages all are read at each start, which takes some 0.1 s. */
const ALL_READ_PAGES_MAX = 65_536

/** Whether the directory has a data file. Throws `OperatorError` when this user may not look. */
export function hasDataFile(directory: string): boolean {
  try {
    return statSync(join(directory, DATA_FILE), { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw new OperatorError(`the data directory ${directory} cannot be used: ${readFailure(error)}`)
  }
}

/** How much of the data file is read before LMDB opens it. */
type Depth = 'meta pages' | 'branches' | 'all pages'

/**
 * Why LMDB cannot open the data file of a directory, in words; null when it can, or when there is no file yet. Call it
 * before LMDB, which ends the process with a segmentation fault or a bus error when the file is anything else. While another
 * process writes, only the meta pages can be judged.
 */
export function flawOfDataFile(directory: string, depth: Depth = 'meta pages'): string | null {
  const fd = openIfThere(join(directory, DATA_FILE))
  if (fd === null) return null
  try {
    const shape = shapeOf(fd)
    if (typeof shape === 'string') return shape
    const isShort = shape.pageCount < shape.usedCount
    if (depth === 'meta pages' && !isShort) return null
    return atOnce(
      walkTrees(fd, shape, depth === 'branches' && shape.pageCount > ALL_READ_PAGES_MAX ? 'branches' : 'all'),
    )
  } finally {
    closeSync(fd)
  }
}

/** The shape of a data file, by its meta pages; or why it is none, in words. */
function shapeOf(fd: number, metaAt = (position: number) => readMeta(fd, position)): FileShape | string {
  const { size } = fstatSync(fd)
  if (size === 0) return EMPTY
  const first = metaAt(0)
  if (first === null) return 'it is no LMDB file'
  const pageBytes = first.readUInt32LE(PAGE_SIZE_AT)
  if (pageBytes < PAGE_SIZE_MIN || pageBytes > PAGE_SIZE_MAX) return 'its page size is impossible'
  const second = size < 2 * pageBytes ? null : metaAt(pageBytes)
  if (second === null) return CUT_SHORT
  const isSecondNewer = second.readBigUInt64LE(TRANSACTION_AT) > first.readBigUInt64LE(TRANSACTION_AT)
  const newest = isSecondNewer ? second : first
  return {
    pageBytes,
    pageCount: Math.floor(size / pageBytes),
    usedCount: Number(newest.readBigUInt64LE(LAST_PAGE_AT)) + 1,
    trees: [FREE_TREE_AT, MAIN_TREE_AT].map((at) => newest.subarray(at, at + TREE_BYTES)),
  }
}

/**
 * Reads every page of the state that meta pages of a data file name, and answers what is wrong with it, in words; null when nothing is.
 * Nobody may write to the file meanwhile, except to pages that are free in that state.
 */
export function* flawOfPages(fd: number, { bytes }: Metas): Generator<void, string | null> {
  const shape = shapeOf(fd, (position) => metaIn(bytes.subarray(position)))
  return typeof shape === 'string' ? shape : yield* walkTrees(fd, shape, 'all')
}

/** The result of work that pauses for nobody. */
function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** The two meta pages of a data file, of which the one with the later transaction counts. */
export interface Metas {
  readonly bytes: Buffer
  /** The number of bytes up to the end of the last page that was ever used; the file may be shorter. */
  readonly usedBytes: number
}

/** Reads the meta pages of a complete data file. A commit in another thread or process may be writing one of them. */
export function readMetas(fd: number): Metas {
  const head = Buffer.alloc(META_BYTES)
  readSync(fd, head, 0, META_BYTES, 0)
  const pageBytes = head.readUInt32LE(PAGE_SIZE_AT)
  const bytes = Buffer.alloc(2 * pageBytes)
  readSync(fd, bytes, 0, bytes.length, 0)
  const [first, second] = [bytes.subarray(0, pageBytes), bytes.subarray(pageBytes)]
  const isSecondNewer = second.readBigUInt64LE(TRANSACTION_AT) > first.readBigUInt64LE(TRANSACTION_AT)
  const lastPage = (isSecondNewer ? second : first).readBigUInt64LE(LAST_PAGE_AT)
  return { bytes, usedBytes: (Number(lastPage) + 1) * pageBytes }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** The start of a meta page; null when it is another page. */
function readMeta(fd: number, position: number): Buffer | null {
  const meta = Buffer.alloc(META_BYTES)
  return metaIn(meta.subarray(0, readSync(fd, meta, 0, META_BYTES, position)))
}

/** The bytes if they are those of a meta page. */
function metaIn(meta: Buffer): Buffer | null {
  if (meta.length < META_BYTES) return null
  const isMeta = (meta.readUInt16LE(FLAGS_AT) & META_PAGE_FLAG) !== 0
  const isKnown = meta.readUInt32LE(MAGIC_AT) === MAGIC && meta.readUInt16LE(VERSION_AT) === FORMAT_VERSION
  return isMeta && isKnown ? meta : null
}
