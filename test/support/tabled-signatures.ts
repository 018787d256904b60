import { createHash } from 'node:crypto'
import { readSignature } from '../../src/crypto/secp256k1.js'
import { chooseEngine } from '../../src/verify/engine-choice.js'
import type { KeyTables, TableVerdict } from '../../src/verify/key-tables.js'
import { bytes32 } from './chosen-signature.js'
import { dice } from './dice.js'
import { encodeDer, ORDER, signDer, testKey } from './signing.js'

/* Signatures of eight keys whose tables are numbered from 0, and forgeries of them. */

export const KEYS = 8

export interface Tabled {
  /** r ‖ s. */
  readonly compact: Buffer
  readonly digest: Buffer
  readonly table: number
}

export interface Judged extends Tabled {
  readonly expected: TableVerdict
}

const { engine } = await chooseEngine('auto')
const throwDice = dice('tables')

export function keyOf(table: number): Uint8Array {
  return testKey(`tables ${table}`).publicKey
}

export function setAllKeys(tables: KeyTables): void {
  for (let table = 0; table < KEYS; table++) tables.setKey(table, engine.uncompress(keyOf(table)))
}

export function verify(tables: KeyTables, all: readonly Tabled[]): readonly TableVerdict[] {
  for (const { compact, digest, table } of all) tables.add(compact, digest, table)
  return tables.verify()
}

export function derOf({ compact }: Tabled): Buffer {
  return encodeDer(scalarAt(compact, 0), scalarAt(compact, 32))
}

function scalarAt(compact: Buffer, offset: number): bigint {
  return BigInt(`0x${compact.toString('hex', offset, offset + 32)}`)
}

export function sign(message: string, table: number): Tabled {
  const compact = readSignature(signDer(Buffer.from(message), testKey(`tables ${table}`)))
  if (compact === null) throw new Error('A signature of this test is malformed.')
  return { compact: Buffer.from(compact), digest: createHash('sha256').update(message).digest(), table }
}

/** With n - s, which verifies as well. */
export function mirrored<Signed extends Tabled>(signed: Signed): Signed {
  const { compact } = signed
  return { ...signed, compact: Buffer.concat([compact.subarray(0, 32), bytes32(ORDER - scalarAt(compact, 32))]) }
}

/** With one bit of r, s or the digest flipped, or in the name of another key. */
export function forged(signed: Tabled): Tabled {
  const at = Number(throwDice() % 97n)
  if (at === 96) return { ...signed, table: (signed.table + 1) % KEYS }
  const [compact, digest] = [Buffer.from(signed.compact), Buffer.from(signed.digest)]
  const [bytes, i] = at < 64 ? [compact, at] : [digest, at - 64]
  bytes[i] = (bytes[i] ?? 0) ^ (1 << Number(throwDice() % 8n))
  const isInRange = [0, 32].every((offset) => scalarAt(compact, offset) > 0n && scalarAt(compact, offset) < ORDER)
  return isInRange ? { ...signed, compact, digest } : forged(signed)
}

const pool = Array.from({ length: 200 }, (_, i) => sign(`message ${i}`, i % KEYS))

/** So many signatures at random: a quarter forged, a quarter with a high s. */
export function mixed(count: number): Judged[] {
  return Array.from({ length: count }, () => {
    const thrown = throwDice()
    const good = pool[Number((thrown >> 2n) % BigInt(pool.length))] ?? sign('', 0)
    if (thrown % 4n === 0n) return { ...forged(good), expected: 'invalid' }
    return { ...(thrown % 4n === 1n ? mirrored(good) : good), expected: 'valid' }
  })
}
