/** Judges signatures together: those of keys that sign often with tables, all others with the engine. */

import { publicKeyName, readSignature, type Secp256k1Engine, type Secp256k1EngineName } from '../crypto/secp256k1.js'
import { FrequentKeys } from './frequent-keys.js'
import { KeyTables, type TableVerdict } from './key-tables.js'
import { assertTablesWork } from './key-tables-self-test.js'
import { type BatchVerifier, engineVerifier, type Judgement, type SignedDigest } from './wire.js'

/** Below this many signatures together, the engine is faster. */
const WORTH_TOGETHER: Readonly<Record<Secp256k1EngineName, number>> = { libsecp256k1: 3, noble: 1 }
/** Valid signatures for which a key gets a free table: making one takes as long as it saves in 20, with noble in one. */
const SIGNATURES_FOR_FREE_TABLE: Readonly<Record<Secp256k1EngineName, number>> = { libsecp256k1: 32, noble: 4 }
/** The engine confirms every `invalid` of the tables, and one in so many `valid`. */
const VALID_PER_CONFIRMATION = 64

/** A signature by a key that has a table. */
interface Tabled {
  /** Its place among all signatures of the call. */
  readonly at: number
  readonly signed: SignedDigest
  /** r ‖ s. */
  readonly scalars: Uint8Array
  readonly table: number
}

/** The tables contradicted the engine, or could not be used. */
class TablesFailed extends Error {}

export class TableVerifier implements BatchVerifier {
  private readonly alone: BatchVerifier
  /** Null once the tables were dropped. */
  private frequent: FrequentKeys | null
  /** Made for the first key that signs often. */
  private tables: KeyTables | undefined
  private validSinceConfirmation = 0

  /** With the compiled code of the tables, and tables for at most `limit` keys, at least 1. */
  constructor(
    private readonly engine: Secp256k1Engine,
    private readonly code: WebAssembly.Module,
    private readonly limit: number,
  ) {
    this.alone = engineVerifier(engine)
    this.frequent = new FrequentKeys(limit, SIGNATURES_FOR_FREE_TABLE[engine.name])
  }

  /**
   * When the tables fail, they are dropped for good, all verdicts of the call are the engine's, and the judgement says why.
   */
  verifyAll(all: readonly SignedDigest[], mayUseTables: boolean): Judgement {
    if (!mayUseTables) this.drop()
    if (this.frequent === null) return this.alone.verifyAll(all, false)
    try {
      return { valid: this.verifyWith(this.frequent, all), complaint: null }
    } catch (error) {
      if (!(error instanceof TablesFailed)) throw error
      this.drop()
      return { ...this.alone.verifyAll(all, false), complaint: error.message }
    }
  }

  private drop(): void {
    this.frequent = null
    this.tables = undefined
  }

  private verifyWith(frequent: FrequentKeys, all: readonly SignedDigest[]): boolean[] {
    const names = all.map(({ publicKey }) => publicKeyName(publicKey))
    const valid: boolean[] = []
    const tabled: Tabled[] = []
    for (const [at, signed] of all.entries()) {
      const table = frequent.find(names[at] ?? '')
      const scalars = table === undefined ? null : readSignature(signed.signature)
      if (table !== undefined && scalars !== null) tabled.push({ at, signed, scalars, table })
      valid.push(table === undefined && this.verifyAlone(signed))
    }
    this.verifyTabled(tabled, valid)
    // Only now, so that no table becomes another key's while signatures wait for it.
    for (const [at, signed] of all.entries()) {
      const table = valid[at] ? frequent.signed(names[at] ?? '') : undefined
      if (table !== undefined) this.makeTable(table, signed)
    }
    return valid
  }

  private verifyAlone({ signature, digest, publicKey }: SignedDigest): boolean {
    return this.engine.verify(signature, digest, publicKey)
  }

  private verifyTabled(tabled: readonly Tabled[], valid: boolean[]): void {
    const { tables } = this
    const batchLimit = tables?.batchLimit ?? Number.POSITIVE_INFINITY
    for (let start = 0; start < tabled.length; start += batchLimit) {
      const together = tabled.slice(start, start + batchLimit)
      const isWorth = tables !== undefined && together.length >= WORTH_TOGETHER[this.engine.name]
      const verdicts = isWorth ? orFail(() => ask(tables, together)) : []
      for (const [i, { at, signed }] of together.entries()) valid[at] = this.confirm(signed, verdicts[i] ?? 'undecided')
    }
  }

  /** The verdict of the tables, confirmed by the engine when it is its turn; the engine's, when they gave none. */
  private confirm(signed: SignedDigest, verdict: TableVerdict): boolean {
    if (verdict === 'undecided') return this.verifyAlone(signed)
    if (verdict === 'valid') {
      this.validSinceConfirmation += 1
      if (this.validSinceConfirmation < VALID_PER_CONFIRMATION) return true
      this.validSinceConfirmation = 0
    }
    const isValid = verdict === 'valid'
    if (this.verifyAlone(signed) !== isValid) throw new TablesFailed(`the engine contradicts the verdict ${verdict}`)
    return isValid
  }

  /** Makes the table of a key, which must find the signature valid that earned it. */
  private makeTable(table: number, { signature, digest, publicKey }: SignedDigest): void {
    const [verdict] = orFail(() => {
      this.tables ??= this.provenTables()
      this.tables.setKey(table, this.engine.uncompress(publicKey))
      this.tables.add(readSignature(signature) ?? signature, digest, table)
      return this.tables.verify()
    })
    if (verdict === 'invalid') throw new TablesFailed('a new table contradicts the engine')
  }

  private provenTables(): KeyTables {
    const tables = new KeyTables(this.code, this.limit)
    assertTablesWork(tables, this.engine)
    return tables
  }
}

function orFail<Result>(use: () => Result): Result {
  try {
    return use()
  } catch (cause) {
    throw new TablesFailed(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function ask(tables: KeyTables, together: readonly Tabled[]): readonly TableVerdict[] {
  for (const { signed, scalars, table } of together) tables.add(scalars, signed.digest, table)
  return tables.verify()
}
