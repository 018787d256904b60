import { readSync } from 'node:fs'

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
 * A tree is described by 48 bytes: its depth in levels at 6, 16 bits, and the number of its root page at 40.
 */
const PAGE_FLAGS_AT = 18
const POINTERS_END_AT = 20
const HEADER_BYTES = 24
const NODE_FLAGS_AT = 4
const KEY_SIZE_AT = 6
const NODE_HEADER_BYTES = 8
/** Length of the description of a tree. */
export const TREE_BYTES = 48
const DEPTH_AT = 6
const ROOT_AT = 40

const BRANCH = 0x01
const LEAF = 0x02
const OVERFLOW = 0x04
const META = 0x08
const KINDS = BRANCH | LEAF | OVERFLOW | META
/** The data stands on pages of its own, whose first number is in the node. */
const BIG_DATA = 0x01
/** The data describes a tree. */
const SUB_TREE = 0x02
const NO_PAGE = 0xffff_ffff_ffff_ffffn

export const CUT_SHORT = 'it is cut short'

const PAGE_NUMBER_BYTES = 8
/** LMDB's own limit (`CURSOR_STACK`). */
const LEVELS_MAX = 32
/** Pages between two pauses. */
const STEP_PAGES = 64

/** What the newest meta page says of a data file, and how long the file is. */
export interface FileShape {
  readonly pageBytes: number
  /** Pages that the file has. */
  readonly pageCount: number
  /** Pages that were ever used. The file may be shorter: LMDB does not write free pages at its end. */
  readonly usedCount: number
  /** The descriptions of the trees that everything hangs on. */
  readonly trees: readonly Buffer[]
}

/** A page to read. */
interface Visit {
  readonly page: number
  /** Levels of its tree below it. */
  readonly below: number
  /** Whether its tree is that of a table, and not one of those that everything hangs on. */
  readonly isTable: boolean
}

/**
 * Reads the trees of a data file page by page, without mapping it, so that a damaged page is told and ends no process. Answers what is
 * wrong, in words; null when every page is what its tree calls for. What records say is not looked at. `branches` leaves out the lowest
 * level of tables, which has most of the pages. Pauses now and then, so that its caller can do something else.
 */
export function* walkTrees(fd: number, shape: FileShape, which: 'all' | 'branches'): Generator<void, string | null> {
  const walk = new TreeWalk(fd, shape, which)
  for (let pages = 1; ; pages += 1) {
    const step = walk.next()
    if (step !== 'more') return step
    if (pages % STEP_PAGES === 0) yield
  }
}

class TreeWalk {
  private readonly page: Buffer
  private readonly header = Buffer.alloc(HEADER_BYTES)
  private readonly waiting: Visit[] = []
  private flaw: string | null = null
  private read = 0

  constructor(
    private readonly fd: number,
    private readonly shape: FileShape,
    private readonly which: 'all' | 'branches',
  ) {
    this.page = Buffer.alloc(shape.pageBytes)
    for (const tree of shape.trees) this.addTree(tree, false, 0)
  }

  /** Reads a page. Answers what is wrong with the file, or null at the end. */
  next(): 'more' | string | null {
    const visit = this.waiting.pop()
    if (this.flaw !== null || visit === undefined) return this.flaw
    if (this.which === 'branches' && visit.isTable && visit.below === 0) return 'more'
    // A page belongs to one tree: more pages than there are means that a damaged tree leads back into itself.
    if (this.read === this.shape.pageCount) return damaged(visit.page)
    this.read += 1
    readSync(this.fd, this.page, 0, this.shape.pageBytes, visit.page * this.shape.pageBytes)
    if (isPage(this.page, visit.page, visit.below === 0 ? LEAF : BRANCH)) this.addNodes(visit)
    else this.flaw = damaged(visit.page)
    return this.flaw ?? 'more'
  }

  private addNodes(visit: Visit): void {
    const { page } = this
    const end = HEADER_BYTES + page.readUInt16LE(POINTERS_END_AT)
    // A tree without rows has no page.
    if (end === HEADER_BYTES || end > page.length || end % 2 !== 0) this.flaw = damaged(visit.page)
    for (let at = HEADER_BYTES; at < end && this.flaw === null; at += 2) {
      const node = page.readUInt16LE(at) + HEADER_BYTES
      const data = node + NODE_HEADER_BYTES
      const isThere = node >= end && data <= page.length && data + page.readUInt16LE(node + KEY_SIZE_AT) <= page.length
      if (!isThere) this.flaw = damaged(visit.page)
      else if (visit.below > 0) this.addPage({ ...visit, page: childOf(page, node), below: visit.below - 1 })
      else this.addData(visit, node, data + page.readUInt16LE(node + KEY_SIZE_AT))
    }
  }

  /** Adds what the data of a node in a leaf leads to. */
  private addData(visit: Visit, node: number, data: number): void {
    const { page } = this
    const flags = page.readUInt16LE(node + NODE_FLAGS_AT)
    const bytes = page.readUInt32LE(node)
    const isOverflow = (flags & BIG_DATA) !== 0
    if (data + (isOverflow ? PAGE_NUMBER_BYTES : bytes) > page.length) this.flaw = damaged(visit.page)
    else if (isOverflow) this.visitOverflow(visit, page.readBigUInt64LE(data), bytes)
    else if ((flags & SUB_TREE) === 0) return
    else if (bytes < TREE_BYTES) this.flaw = damaged(visit.page)
    else this.addTree(page.subarray(data, data + TREE_BYTES), true, visit.page)
  }

  private addTree(tree: Buffer, isTable: boolean, foundOn: number): void {
    const root = tree.readBigUInt64LE(ROOT_AT)
    const levels = tree.readUInt16LE(DEPTH_AT)
    if (root === NO_PAGE) return
    if (levels === 0 || levels > LEVELS_MAX) this.flaw = damaged(foundOn)
    else this.addPage({ page: Number(root), below: levels - 1, isTable })
  }

  private addPage(visit: Visit): void {
    this.flaw ??= this.flawOfPlace(visit.page)
    if (this.flaw === null) this.waiting.push(visit)
  }

  /** Looks at the first page of data that has pages of its own. */
  private visitOverflow(visit: Visit, first: bigint, bytes: number): void {
    const count = Math.ceil((HEADER_BYTES + bytes) / this.shape.pageBytes)
    this.flaw = this.flawOfPlace(Number(first) + count - 1)
    if (this.flaw !== null) return
    readSync(this.fd, this.header, 0, HEADER_BYTES, Number(first) * this.shape.pageBytes)
    if (!isPage(this.header, Number(first), OVERFLOW)) this.flaw = damaged(visit.page)
  }

  private flawOfPlace(page: number): string | null {
    if (page >= this.shape.usedCount) return 'it names a page that there never was'
    return page >= this.shape.pageCount ? CUT_SHORT : null
  }
}

function childOf(page: Buffer, node: number): number {
  return page.readUInt16LE(node + NODE_FLAGS_AT) * 2 ** 32 + page.readUInt32LE(node)
}

/** Whether it is the page of this number, and of this kind. */
function isPage(page: Buffer, number: number, kind: number): boolean {
  return page.readBigUInt64LE(0) === BigInt(number) && (page.readUInt16LE(PAGE_FLAGS_AT) & KINDS) === kind
}

function damaged(page: number): string {
  return `page ${page} is damaged`
}
