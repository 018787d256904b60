/** What is stored is not what was written: a damaged file, or a defect. */
export class BrokenData extends Error {
  override readonly name: string = 'BrokenData'
}

/**
 * Numbers of LMDB's errors (`lmdb.h`) that a sound file on a sound disk does not cause. The binding gives those of the system their own
 * numbers. EIO is none of them: LMDB says it of a write that was cut short because the disk is full.
 */
const DAMAGE_OF_LMDB: ReadonlySet<unknown> = new Set([
  -30_797, // MDB_PAGE_NOTFOUND
  -30_796, // MDB_CORRUPTED
  -30_795, // MDB_PANIC: after an earlier error nothing can be written any more
  -30_793, // MDB_INVALID
  -30_787, // MDB_CURSOR_FULL: a tree is deeper than any is
  -30_786, // MDB_PAGE_FULL
  -30_784, // MDB_INCOMPATIBLE: a page is of another kind than its table
  -30_782, // MDB_BAD_TXN: an earlier error in the transaction, which may be told nowhere else
  -30_779, // MDB_PROBLEM
  -30_778, // MDB_BAD_CHECKSUM
])

/** Classes of `SQLSTATE`: errors of the system that the database met (58), and its own, damaged data among them (XX). */
const DAMAGE_CLASSES = /^(58|XX)/

/** Causes of causes that are looked at. */
const CAUSES_MAX = 8

/** Whether an error, or what caused it, says that stored data cannot be read, or are not what was written. */
export function isDamage(error: unknown): boolean {
  let one = error
  for (let looked = 0; looked < CAUSES_MAX && one instanceof Error; looked += 1) {
    if (one instanceof BrokenData) return true
    const code: unknown = 'code' in one ? one.code : undefined
    if (DAMAGE_OF_LMDB.has(code) || (typeof code === 'string' && DAMAGE_CLASSES.test(code))) return true
    one = one.cause
  }
  return false
}
