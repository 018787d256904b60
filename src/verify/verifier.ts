/** Judges signatures together: with tables those of keys that sign often, with the engine all others. */

import { readSignature, type Secp256k1Engine, type Secp256k1EngineName } from '../crypto/secp256k1.js'
import { FrequentKeys } from './frequent-keys.js'
import { KeyTables, type TableVerdict } from './key-tables.js'
import { assertKnownAnswer } from './known-answer.js'
import type { BatchVerifier, SignedDigest } from './wire.js'

/** Fewer signatures than that are verified faster by the engine, one by one. */
const WORTH_TOGETHER: Readonly<Record<Secp256k1EngineName, number>> = { libsecp256k1: 3, noble: 1 }
/** A key that signed so often gets a table: making one takes about as long as what it saves in as many verifications. */
const SIGNATURES_BEFORE_TABLE: Readonly<Record<Secp256k1EngineName, number>> = { libsecp256k1: 32, noble: 4 }

/** A signature whose key has a table: which of those that were asked about, and its r ‖ s. */
interface Tabled {
  readonly at: number
  readonly signed: SignedDigest
  readonly scalars: Uint8Array
  readonly table: number
}

export class Verifier implements BatchVerifier {
  readonly #engine: Secp256k1Engine
  #frequent: FrequentKeys
  /** Loaded for the first key that signs often. */
  #tables: KeyTables | undefined

  /** With tables for at most so many keys; none is the engine alone. */
  constructor(engine: Secp256k1Engine, keyTables: number) {
    this.#engine = engine
    this.#frequent = new FrequentKeys(keyTables, SIGNATURES_BEFORE_TABLE[engine.name])
  }

  /** Whether each signature is valid, in their order. Malformed ones are not. */
  verifyAll(all: readonly SignedDigest[]): readonly boolean[] {
    const valid: boolean[] = []
    const tabled: Tabled[] = []
    for (const [at, signed] of all.entries()) {
      const table = this.#frequent.find(signed.publicKey)
      const scalars = table === undefined ? null : readSignature(signed.signature)
      if (table !== undefined && scalars !== null) tabled.push({ at, signed, scalars, table })
      valid.push(table === undefined && this.#verifyAlone(signed))
    }
    this.#verifyTabled(tabled, valid)
    // Only now, so that no table becomes another key's while signatures wait for it.
    for (const [at, { publicKey }] of all.entries()) if (valid[at]) this.#count(publicKey)
    return valid
  }

  #verifyAlone({ signature, digest, publicKey }: SignedDigest): boolean {
    return this.#engine.verify(signature, digest, publicKey)
  }

  #verifyTabled(tabled: readonly Tabled[], valid: boolean[]): void {
    const tables = this.#tables
    if (tables === undefined) return
    for (let start = 0; start < tabled.length; start += tables.batchLimit) {
      const together = tabled.slice(start, start + tables.batchLimit)
      const isWorth = together.length >= WORTH_TOGETHER[this.#engine.name]
      const verdicts = isWorth ? this.#orGiveUp(() => ask(tables, together)) : []
      for (const [i, { at, signed }] of together.entries()) {
        const verdict = verdicts[i] ?? 'undecided'
        valid[at] = verdict === 'undecided' ? this.#verifyAlone(signed) : verdict === 'valid'
      }
    }
  }

  #count(publicKey: Uint8Array): void {
    const table = this.#frequent.signed(publicKey)
    if (table === undefined) return
    this.#orGiveUp(() => {
      this.#tables ??= loadTables(this.#engine, this.#frequent.limit)
      this.#tables.setKey(table, this.#engine.uncompress(publicKey))
    })
  }

  /** Tables that failed once may hold anything, so the failure is thrown and from then on the engine is asked about all. */
  #orGiveUp<Result>(use: () => Result): Result {
    try {
      return use()
    } catch (error) {
      this.#frequent = new FrequentKeys(0, 0)
      this.#tables = undefined
      throw error
    }
  }
}

/** Throws where tables do not run, or judge a known signature wrongly. */
function loadTables(engine: Secp256k1Engine, limit: number): KeyTables {
  const tables = new KeyTables(limit)
  const verifyAll: BatchVerifier['verifyAll'] = (all) => {
    for (const { signature, digest, publicKey } of all) {
      tables.setKey(0, engine.uncompress(publicKey))
      tables.add(readSignature(signature) ?? signature, digest, 0)
    }
    return tables.verify().map((verdict) => verdict === 'valid')
  }
  assertKnownAnswer({ verifyAll })
  return tables
}

function ask(tables: KeyTables, together: readonly Tabled[]): readonly TableVerdict[] {
  for (const { signed, scalars, table } of together) tables.add(scalars, signed.digest, table)
  return tables.verify()
}
