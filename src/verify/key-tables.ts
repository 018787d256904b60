/**
 * Verification with tables of multiples of the keys that sign often. A table turns u1 G + u2 P into a sum of 61 points that
 * are known already, and the sums of many signatures share their divisions: a third of the time of the fastest engine.
 * The arithmetic is WebAssembly (`key-tables/`, written in AssemblyScript), so that it runs wherever Node does.
 *
 * Nothing here decides what a signature or a key must look like: what comes in has passed the policy of `secp256k1.ts`,
 * and a key gets a table only after an engine found a signature of it valid.
 */

import { readFileSync } from 'node:fs'
import { SCALAR_BYTES } from '../crypto/der.js'
import { DIGEST_BYTES } from '../crypto/secp256k1.js'

/** A signature that is valid, or is not; or whose sum hit a rare case that the tables leave to an engine. */
export type TableVerdict = 'valid' | 'invalid' | 'undecided'

const VERDICTS: readonly TableVerdict[] = ['invalid', 'valid', 'undecided']
/** Digest, r and s, and the number of the table. */
const INPUT_BYTES = DIGEST_BYTES + 2 * SCALAR_BYTES + 4
const UNCOMPRESSED_KEY_BYTES = 65

/** What `key-tables/verify.ts` exports; addresses are those of its memory. */
interface Exports {
  readonly memory: WebAssembly.Memory
  batchLimit(): number
  input(): number
  verdicts(): number
  keyInput(): number
  start(keys: number): number
  setKey(table: number): void
  verify(count: number): void
}

/** Whether this processor and this Node have the vectors that tables need. */
export function canHaveKeyTables(): boolean {
  return WebAssembly.validate(readCode())
}

function readCode(): Buffer {
  return readFileSync(new URL('./key-tables.wasm', import.meta.url))
}

export class KeyTables {
  /** Signatures that are verified together, at most. */
  readonly batchLimit: number
  readonly #exports: Exports
  readonly #tables: number
  readonly #input: Uint8Array
  readonly #inputView: DataView
  readonly #verdicts: Uint8Array
  readonly #keyInput: Uint8Array
  #waiting = 0

  /**
   * With room for that many tables, numbered from 0; memory is only taken by those that are made. Throws where the
   * processor or this Node lacks 128-bit vectors.
   */
  constructor(tables: number) {
    const exports = new WebAssembly.Instance(new WebAssembly.Module(readCode())).exports as unknown as Exports
    if (exports.start(tables) === 0) throw new Error(`There is no memory for ${tables} tables of keys.`)
    this.#exports = exports
    this.#tables = tables
    this.batchLimit = exports.batchLimit()
    const { buffer } = exports.memory
    this.#input = new Uint8Array(buffer, exports.input(), this.batchLimit * INPUT_BYTES)
    this.#inputView = new DataView(buffer, exports.input(), this.batchLimit * INPUT_BYTES)
    this.#verdicts = new Uint8Array(buffer, exports.verdicts(), this.batchLimit)
    this.#keyInput = new Uint8Array(buffer, exports.keyInput(), UNCOMPRESSED_KEY_BYTES - 1)
  }

  /** Makes the table of a key, uncompressed and on the curve, in the place of what had that number. Takes about a millisecond. */
  setKey(table: number, uncompressed: Uint8Array): void {
    if (uncompressed.length !== UNCOMPRESSED_KEY_BYTES) {
      throw new RangeError(`An uncompressed key has ${UNCOMPRESSED_KEY_BYTES} bytes, not ${uncompressed.length}.`)
    }
    this.#assertNumber(table)
    this.#keyInput.set(uncompressed.subarray(1))
    this.#exports.setKey(table)
  }

  /** Adds a signature, r ‖ s, each from 1 to n − 1, of the key whose table that is. At most `batchLimit` may wait. */
  add(signature: Uint8Array, digest: Uint8Array, table: number): void {
    if (this.#waiting === this.batchLimit) throw new RangeError('Too many signatures wait.')
    if (signature.length !== 2 * SCALAR_BYTES || digest.length !== DIGEST_BYTES) {
      throw new RangeError('A signature has 64 bytes, and a digest 32.')
    }
    this.#assertNumber(table)
    const at = this.#waiting * INPUT_BYTES
    this.#input.set(digest, at)
    this.#input.set(signature, at + DIGEST_BYTES)
    this.#inputView.setUint32(at + DIGEST_BYTES + signature.length, table, true)
    this.#waiting++
  }

  /** Beyond the tables lies other memory, which an address would reach. */
  #assertNumber(table: number): void {
    if (!Number.isInteger(table) || table < 0 || table >= this.#tables)
      throw new RangeError(`No table is number ${table}.`)
  }

  /** Verifies what was added, and forgets it. */
  verify(): readonly TableVerdict[] {
    const count = this.#waiting
    this.#waiting = 0
    this.#exports.verify(count)
    return Array.from(this.#verdicts.subarray(0, count), (verdict) => {
      const word = VERDICTS[verdict]
      if (word === undefined) throw new Error(`The tables of keys answered the verdict ${verdict}.`)
      return word
    })
  }
}
