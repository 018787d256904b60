import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Damage to the pages of a database file of LMDB (`tree-walk.ts` has the layout of its pages).
 */

export const PAGE_BYTES = 4096
/** Of the newest meta page: the number of the root page of the main tree, in which the tables stand. */
const MAIN_ROOT_AT = 136
const TRANSACTION_AT = 152
const PAGE_FLAGS_AT = 18
const BRANCH = 0x01
const POINTERS_END_AT = 20
const HEADER_BYTES = 24
const KEY_SIZE_AT = 6
const NODE_HEADER_BYTES = 8
/** Of the description of a tree: the number of its root page. */
const ROOT_AT = 40

/** The page in which the tables stand, which everything reads. */
export function pageOfTables(file: string): number {
  const bytes = readFileSync(file)
  const [first, second] = [bytes.subarray(0, PAGE_BYTES), bytes.subarray(PAGE_BYTES)]
  const isSecond = second.readBigUInt64LE(TRANSACTION_AT) > first.readBigUInt64LE(TRANSACTION_AT)
  return Number((isSecond ? second : first).readBigUInt64LE(MAIN_ROOT_AT))
}

/** The root page of a table. */
export function rootOfTable(file: string, name: string): number {
  const bytes = readFileSync(file)
  const search = (number: number): number | null => {
    const page = bytes.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES)
    const isBranch = (page.readUInt16LE(PAGE_FLAGS_AT) & BRANCH) !== 0
    const end = HEADER_BYTES + page.readUInt16LE(POINTERS_END_AT)
    for (let pointer = HEADER_BYTES; pointer < end; pointer += 2) {
      const node = page.readUInt16LE(pointer) + HEADER_BYTES
      const key = node + NODE_HEADER_BYTES
      const data = key + page.readUInt16LE(node + KEY_SIZE_AT)
      if (isBranch) {
        const found = search(page.readUInt32LE(node))
        if (found !== null) return found
      } else if (page.toString('latin1', key, data) === `${name}\0`) {
        return Number(page.readBigUInt64LE(data + ROOT_AT))
      }
    }
    return null
  }
  return search(pageOfTables(file)) ?? assert.fail(`the file has no table ${name}`)
}

/**
 * Damages the root page of a table in the file of a data directory, also while a service has it mapped: a page without flags is of no kind,
 * which LMDB tells. It would follow what garbage says.
 */
export function spoilRoot(directory: string, table: string): void {
  const file = join(directory, 'data.mdb')
  spoilPage(file, rootOfTable(file, table), Buffer.alloc(PAGE_BYTES))
}

/** Writes over a page, also while a process has mapped it. */
export function spoilPage(file: string, page: number, bytes: Buffer): void {
  assert.equal(bytes.length, PAGE_BYTES)
  const fd = openSync(file, 'r+')
  writeSync(fd, bytes, 0, PAGE_BYTES, page * PAGE_BYTES)
  closeSync(fd)
}
