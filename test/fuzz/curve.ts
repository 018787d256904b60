import { libsecp256k1 } from '../../src/crypto/libsecp256k1.js'
import { noble } from '../../src/crypto/noble.js'
import type { Secp256k1EngineName } from '../../src/crypto/secp256k1.js'
import { compileKeyTables, KeyTables } from '../../src/verify/key-tables.js'
import { TableVerifier } from '../../src/verify/table-verifier.js'
import type { SignedDigest } from '../../src/verify/wire.js'
import { chooseSignature, inverse, modulo } from '../support/chosen-signature.js'
import { dice } from '../support/dice.js'
import { encodeDer, ORDER } from '../support/signing.js'
import { additionsOf } from '../support/table-digits.js'
import { FuzzViolation } from './fuzz-report.js'

/*
 * Signatures by hostile keys with hostile scalars, judged by key tables, by a verifier that uses them, and by both engines.
 * Every verdict has to be that of libsecp256k1; noble, which takes fifty times as long, judges one case in 32 itself.
 */

export interface CurveReport {
  cases: number
  valid: number
  undecided: number
  byNoble: number
}

const TABLES = 8
const CASES_PER_KEYS = 512
const BATCH_MAX = 64
const CASES_PER_NOBLE = 32
/** A cube root of 1 modulo n: for P and its multiple by it, y is the same. */
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n

interface Key {
  readonly secret: bigint
  /** Scalars for which two equal or opposite points are added, or any. */
  readonly u1: bigint
  readonly u2: bigint
}

interface Case {
  readonly signed: SignedDigest
  /** r ‖ s. */
  readonly compact: Uint8Array
  readonly table: number
}

/** Throws a `FuzzViolation` for the first verdict that differs. The same seed makes the same cases. */
export async function fuzzCurve(cases: number, seed: number): Promise<CurveReport> {
  const code = await compileKeyTables()
  const tables = new KeyTables(code, TABLES)
  const report: CurveReport = { cases: 0, valid: 0, undecided: 0, byNoble: 0 }
  const throwDice = dice(`curve ${seed}`)
  const below = (limit: number) => Number(throwDice() % BigInt(limit))
  const names: readonly Secp256k1EngineName[] = ['libsecp256k1', 'noble']
  while (report.cases < cases) {
    const keys = Array.from({ length: TABLES }, () => hostileKey(throwDice))
    const made = Array.from({ length: CASES_PER_KEYS }, () => madeCase(below(TABLES), keys, throwDice))
    for (const { signed, table } of made) tables.setKey(table, libsecp256k1.uncompress(signed.publicKey))
    for (let start = 0; start < made.length; ) {
      const batch = made.slice(start, start + 1 + below(BATCH_MAX))
      start += batch.length
      judge(tables, batch, report)
    }
    for (const name of names) {
      // The engine's own verdicts are libsecp256k1's, so that only its policy on tables differs.
      const verifier = new TableVerifier({ ...libsecp256k1, name }, code, 1 + below(TABLES))
      const all = made.map(({ signed }) => signed)
      for (let start = 0; start < all.length; ) {
        const batch = all.slice(start, start + 1 + below(2 * BATCH_MAX))
        start += batch.length
        const { valid, complaint } = verifier.verifyAll(batch, true)
        if (complaint !== null) throw new FuzzViolation(`a verifier with the policy for ${name}: ${complaint}`)
        for (const [i, signed] of batch.entries()) assertVerdict(`policy for ${name}`, valid[i], signed)
      }
    }
  }
  return report
}

function judge(tables: KeyTables, batch: readonly Case[], report: CurveReport): void {
  for (const { compact, signed, table } of batch) tables.add(compact, signed.digest, table)
  for (const [i, verdict] of tables.verify().entries()) {
    const signed = batch[i]?.signed
    if (signed === undefined) throw new FuzzViolation('more verdicts than signatures')
    report.cases += 1
    if (verdict === 'undecided') report.undecided += 1
    else assertVerdict('tables', verdict === 'valid', signed)
    if (verdict === 'valid') report.valid += 1
    if (report.cases % CASES_PER_NOBLE === 0) {
      report.byNoble += 1
      assertVerdict('noble', noble.verify(signed.signature, signed.digest, signed.publicKey), signed)
    }
  }
}

function assertVerdict(who: string, verdict: boolean | undefined, signed: SignedDigest): void {
  const { signature, digest, publicKey } = signed
  if (verdict === libsecp256k1.verify(signature, digest, publicKey)) return
  const hex = [signature, digest, publicKey].map((bytes) => Buffer.from(bytes).toString('hex'))
  throw new FuzzViolation(`${who} says ${verdict} to signature ${hex[0]}, digest ${hex[1]}, key ${hex[2]}`)
}

/** Scalars whose digits are all equal, next to a power of 2, to 0, n, n / 2 or a cube root of 1; or any. */
function hostileScalar(throwDice: () => bigint): bigint {
  const thrown = throwDice()
  const small = (thrown >> 16n) % 5n
  const power = 2n ** ((thrown >> 24n) % 256n)
  const kinds = [
    throwDice(),
    small + 1n,
    -small - 1n,
    power,
    -power + small,
    // Row i of its table names points of the generator's.
    inverse(2n ** (4n * ((thrown >> 24n) % 13n) + 1n)),
    inverse(2n ** 49n),
    LAMBDA * (small + 1n),
    (ORDER + 1n) / 2n + small,
    // The digits of a table's rows all as small, or as large, as they can be.
    (2n ** 256n - 1n) / (2n ** (thrown % 2n === 0n ? 7n : 11n) - 1n),
    2n ** 256n - 1n - (thrown >> 128n),
  ]
  return modulo(kinds[Number((thrown >> 8n) % BigInt(kinds.length))] ?? 1n) || 1n
}

/** Half of them with scalars for which the two sides of one of the sixty additions are equal or opposite. */
function hostileKey(throwDice: () => bigint): Key {
  const [u1, u2, thrown] = [hostileScalar(throwDice), hostileScalar(throwDice), throwDice()]
  const additions = additionsOf(u1, u2)
  const [first, second] = additions[Number((thrown >> 8n) % BigInt(additions.length))] ?? []
  const any = { secret: hostileScalar(throwDice), u1, u2 }
  if (thrown % 2n === 0n || first === undefined || second === undefined) return any
  const sign = thrown % 4n === 1n ? 1n : -1n
  const divisor = modulo(first.p - sign * second.p)
  const secret = divisor === 0n ? 0n : modulo((sign * second.g - first.g) * inverse(divisor))
  return secret === 0n ? any : { secret, u1, u2 }
}

/** Valid, or with a bit flipped, with the other s, of another key, or with a digest around n. */
function madeCase(table: number, keys: readonly Key[], throwDice: () => bigint): Case {
  const { secret, u1, u2 } = keys[table] ?? hostileKey(throwDice)
  const isOwn = throwDice() % 8n === 0n
  const chosen = isOwn
    ? chooseSignature(secret, u1, u2)
    : chooseSignature(secret, hostileScalar(throwDice), hostileScalar(throwDice))
  const [compact, digest] = [Buffer.from(chosen.compact), Buffer.from(chosen.digest)]
  const thrown = throwDice()
  const at = Number((thrown >> 16n) % 96n)
  const bit = 1 << Number((thrown >> 8n) % 8n)
  const [r, s] = [scalarOf(compact, 0), scalarOf(compact, 32)]
  let changed: readonly [bigint, bigint] = [r, s]
  if (thrown % 8n === 0n && at >= 64) digest[at - 64] = (digest[at - 64] ?? 0) ^ bit
  else if (thrown % 8n === 0n) {
    compact[at] = (compact[at] ?? 0) ^ bit
    changed = [scalarOf(compact, 0), scalarOf(compact, 32)]
  } else if (thrown % 8n === 1n) changed = [r, ORDER - s]
  else if (thrown % 8n === 2n) changed = [s, r]
  else if (thrown % 8n === 3n) digest.fill(0xff)
  const [low, high] = changed.map((value) => modulo(value) || 1n)
  const der = encodeDer(low ?? 1n, high ?? 1n)
  const both = Buffer.from([low, high].map((value) => (value ?? 1n).toString(16).padStart(64, '0')).join(''), 'hex')
  return { signed: { signature: der, digest, publicKey: chosen.publicKey }, compact: both, table }
}

function scalarOf(compact: Buffer, offset: number): bigint {
  return BigInt(`0x${compact.toString('hex', offset, offset + 32)}`)
}
