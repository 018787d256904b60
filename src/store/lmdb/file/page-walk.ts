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

export interface PagesOfFile {
  readonly pageBytes: number
  /** Whole pages that the file has. */
  readonly pageCount: number
  /** The page of a number below `pageCount`; what it returned before may change. */
  read(pageNumber: number): Buffer
}

/**
 * Whether every page that the trees at `roots` use is in the file. A file may be shorter than its last page by pages that are
 * free, so its length alone proves nothing. This reads every branch and leaf; use it for files whose length is suspicious.
 */
export function areTreesComplete(pages: PagesOfFile, roots: readonly bigint[]): boolean {
  const waiting = [...roots]
  for (let root = waiting.pop(); root !== undefined; root = waiting.pop()) {
    if (root === NO_PAGE) continue
    if (root >= BigInt(pages.pageCount)) return false
    if (!childrenOf(pages.read(Number(root)), pages, waiting)) return false
  }
  return true
}

/** Adds the trees' pages that `page` points to; false when one is not in the file or the page is none of a tree. */
function childrenOf(page: Buffer, { pageBytes, pageCount }: PagesOfFile, found: bigint[]): boolean {
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
