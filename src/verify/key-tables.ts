/**
 * Verification with tables of multiples of the keys that sign often (docs/internals/verification.md). A table turns u1 G + u2 P into
 * a sum of 61 known points, and the sums of many signatures share their divisions. The arithmetic is WebAssembly
 * (`packages/key-tables`, written in AssemblyScript), so that it runs wherever Node does.
 *
 * The policy on signatures and keys is not here: callers pass what `secp256k1.ts` has read, and make a table only for a key
 * for which an engine found a signature valid.
 */

import { hash } from 'node:crypto'
import { SCALAR_BYTES } from '../crypto/der.js'
import { DIGEST_BYTES } from '../crypto/secp256k1.js'
import { readProgramFile } from '../program-files.js'

/** `undecided`: the sum met a rare case that the tables leave to an engine. */
export type TableVerdict = 'valid' | 'invalid' | 'undecided'

/** The codes of `packages/key-tables/assembly/verify.ts`. */
const VERDICTS: ReadonlyMap<number, TableVerdict> = new Map([
  [0x56, 'valid'],
  [0x49, 'invalid'],
  [0x2a, 'undecided'],
])
const NO_VERDICT = 0
/** Digest, r and s, and the number of the table. */
const INPUT_BYTES = DIGEST_BYTES + 2 * SCALAR_BYTES + 4
const UNCOMPRESSED_KEY_BYTES = 65

/** What `packages/key-tables/assembly/verify.ts` exports; addresses are those of its memory. */
interface Exports {
  readonly memory: WebAssembly.Memory
  readonly BATCH: WebAssembly.Global
  readonly INPUT: WebAssembly.Global
  readonly VERDICTS: WebAssembly.Global
  readonly KEY_INPUT: WebAssembly.Global
  start(keys: number): number
  setKey(table: number): void
  verify(count: number): void
}

/**
 * Reads and compiles the code. Rejects when its checksum is not the one that is kept with it, and where the processor or this
 * Node lacks 128-bit vectors. `read` returns a file of the program, by its path below `src`.
 */
export async function compileKeyTables(read = readProgramFile): Promise<WebAssembly.Module> {
  const code = read('verify/key-tables.wasm')
  const pinned = read('verify/key-tables.sha256').toString()
  if (hash('sha256', code) !== pinned) throw new Error('key-tables.wasm is not the file that was built')
  return WebAssembly.compile(new Uint8Array(code))
}

export class KeyTables {
  /** Most signatures that are verified together. */
  readonly batchLimit: number
  private readonly exports: Exports
  private readonly input: Uint8Array
  private readonly inputView: DataView
  private readonly verdicts: Uint8Array
  private readonly keyInput: Uint8Array
  private waiting = 0

  /** Reserves addresses for `limit` tables, numbered from 0; only tables that are made take memory. */
  constructor(
    code: WebAssembly.Module,
    readonly limit: number,
  ) {
    const exports = new WebAssembly.Instance(code).exports as unknown as Exports
    if (exports.start(limit) === 0) throw new Error(`no memory for ${limit} tables of keys`)
    this.exports = exports
    this.batchLimit = exports.BATCH.value
    const { buffer } = exports.memory
    this.input = new Uint8Array(buffer, exports.INPUT.value, this.batchLimit * INPUT_BYTES)
    this.inputView = new DataView(buffer, exports.INPUT.value, this.batchLimit * INPUT_BYTES)
    this.verdicts = new Uint8Array(buffer, exports.VERDICTS.value, this.batchLimit)
    this.keyInput = new Uint8Array(buffer, exports.KEY_INPUT.value, UNCOMPRESSED_KEY_BYTES - 1)
  }

  /** Makes the table of an uncompressed key, in place of the one that had this number. Takes about a millisecond. */
  setKey(table: number, uncompressed: Uint8Array): void {
    if (uncompressed.length !== UNCOMPRESSED_KEY_BYTES) {
      throw new RangeError(`an uncompressed key has ${UNCOMPRESSED_KEY_BYTES} bytes, not ${uncompressed.length}`)
    }
    this.assertNumber(table)
    this.keyInput.set(uncompressed.subarray(1))
    this.exports.setKey(table)
  }

  /** Adds a signature (r ‖ s) by the key of a table. At most `batchLimit` may wait. */
  add(signature: Uint8Array, digest: Uint8Array, table: number): void {
    if (this.waiting === this.batchLimit) throw new RangeError('too many signatures wait')
    if (signature.length !== 2 * SCALAR_BYTES || digest.length !== DIGEST_BYTES) {
      throw new RangeError('a signature has 64 bytes, and a digest 32')
    }
    this.assertNumber(table)
    const at = this.waiting * INPUT_BYTES
    this.input.set(digest, at)
    this.input.set(signature, at + DIGEST_BYTES)
    this.inputView.setUint32(at + DIGEST_BYTES + signature.length, table, true)
    this.waiting += 1
  }

  /** Verifies the signatures that were added, and forgets them. */
  verify(): readonly TableVerdict[] {
    const count = this.waiting
    this.waiting = 0
    this.verdicts.fill(NO_VERDICT)
    this.exports.verify(count)
    return Array.from(this.verdicts.subarray(0, count), (code) => {
      const verdict = VERDICTS.get(code)
      if (verdict === undefined) throw new Error(`the tables of keys gave the verdict ${code}`)
      return verdict
    })
  }

  /** The code takes whole numbers only, so it would make table 0 of 0.5. */
  private assertNumber(table: number): void {
    if (!Number.isInteger(table) || table < 0 || table >= this.limit)
      throw new RangeError(`no table has number ${table}`)
  }
}
