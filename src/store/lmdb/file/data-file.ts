import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'

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

/**
 * Layout of LMDB's pages (liblmdb's mdb.c, as the binding builds it for 64 bits, in little-endian order). A page begins with
 *
 *     0   number of the page        8   transaction       16  -
 *     18  flags                     20  end of the pointers (branch, leaf), or count of pages (overflow)
 *     24  pointers to nodes, 16 bits each, counted from here
 *
 * and a node with
 *
 *     0   size of the data, or, in a branch, the lower 32 bits of the child's page number
 *     4   flags, or its upper 16 bits      6   size of the key      8   key, then data
 *
 * A tree is described by 48 bytes, of which the last 8 are the number of its root page.
 */
const PAGE_FLAGS_AT = 18
const POINTERS_END_AT = 20
const HEADER_BYTES = 24
const NODE_FLAGS_AT = 4
const KEY_SIZE_AT = 6
const NODE_HEADER_BYTES = 8
const TREE_BYTES = 48
const ROOT_AT = 40

const BRANCH = 0x01
const LEAF = 0x02
/** The data stands on pages of its own, whose first number is in the node. */
const BIG_DATA = 0x01
/** The data describes a tree. */
const SUB_TREE = 0x02
const NO_PAGE = 0xffff_ffff_ffff_ffffn

const CUT_SHORT = 'it is cut short'

/**
 * Why LMDB cannot open the data file of a directory, in words; null when it can, or when there is no file yet. Call it
 * before LMDB, which ends the process with a segmentation fault or a bus error when the file is anything else.
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
  return areTreesComplete(fd, pageBytes, pageCount, rootsIn(newest)) ? null : CUT_SHORT
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

/** Whether every page of the newest state is in a file that begins with valid meta pages: reads each of them. */
export function isComplete(fd: number, size: number): boolean {
  const first = readMeta(fd, 0)
  if (first === null) return false
  const pageBytes = first.readUInt32LE(PAGE_SIZE_AT)
  const second = readMeta(fd, pageBytes)
  if (second === null) return false
  const newest = second.readBigUInt64LE(TRANSACTION_AT) > first.readBigUInt64LE(TRANSACTION_AT) ? second : first
  return areTreesComplete(fd, pageBytes, Math.floor(size / pageBytes), rootsIn(newest))
}

function rootsIn(meta: Buffer): readonly bigint[] {
  return [meta.readBigUInt64LE(FREE_ROOT_AT), meta.readBigUInt64LE(MAIN_ROOT_AT)]
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
  if (readSync(fd, meta, 0, META_BYTES, position) !== META_BYTES) return null
  const isMeta = (meta.readUInt16LE(FLAGS_AT) & META_PAGE_FLAG) !== 0
  const isKnown = meta.readUInt32LE(MAGIC_AT) === MAGIC && meta.readUInt16LE(VERSION_AT) === FORMAT_VERSION
  return isMeta && isKnown ? meta : null
}

/**
 * Whether every page that the trees at `roots` use is in the file. A file may be shorter than its last page by pages that are
 * free, so its length alone proves nothing. This reads every branch and leaf; use it for files whose length is suspicious.
 */
function areTreesComplete(fd: number, pageBytes: number, pageCount: number, roots: readonly bigint[]): boolean {
  const page = Buffer.alloc(pageBytes)
  const waiting = [...roots]
  let left = pageCount
  for (let root = waiting.pop(); root !== undefined; root = waiting.pop()) {
    if (root === NO_PAGE) continue
    // A page belongs to one tree: more pages than there are means that a damaged tree leads back into itself.
    if (root >= BigInt(pageCount) || left === 0) return false
    left -= 1
    readSync(fd, page, 0, pageBytes, Number(root) * pageBytes)
    if (!addChildren(page, pageCount, waiting)) return false
  }
  return true
}

/** Adds the pages of trees that `page` points to; false when one is not in the file, or `page` is not part of a tree. */
function addChildren(page: Buffer, pageCount: number, found: bigint[]): boolean {
  const pageBytes = page.length
  const flags = page.readUInt16LE(PAGE_FLAGS_AT)
  const end = page.readUInt16LE(POINTERS_END_AT)
  const isBranch = (flags & BRANCH) !== 0
  if ((!isBranch && (flags & LEAF) === 0) || HEADER_BYTES + end > pageBytes) return false
  for (let at = HEADER_BYTES; at < HEADER_BYTES + end; at += 2) {
    const node = page.readUInt16LE(at) + HEADER_BYTES
    if (node + NODE_HEADER_BYTES > pageBytes) return false
    if (isBranch) {
      found.push(BigInt(page.readUInt32LE(node)) | (BigInt(page.readUInt16LE(node + NODE_FLAGS_AT)) << 32n))
      continue
    }
    const nodeFlags = page.readUInt16LE(node + NODE_FLAGS_AT)
    const data = node + NODE_HEADER_BYTES + page.readUInt16LE(node + KEY_SIZE_AT)
    if ((nodeFlags & SUB_TREE) !== 0) {
      if (data + TREE_BYTES > pageBytes) return false
      found.push(page.readBigUInt64LE(data + ROOT_AT))
    } else if ((nodeFlags & BIG_DATA) !== 0) {
      if (data + 8 > pageBytes) return false
      const bytes = HEADER_BYTES + page.readUInt32LE(node)
      const last = page.readBigUInt64LE(data) + BigInt(Math.ceil(bytes / pageBytes)) - 1n
      if (last >= BigInt(pageCount)) return false
    }
  }
  return true
}
