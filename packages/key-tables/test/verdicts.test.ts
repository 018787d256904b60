import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { beforeEach, describe, test } from 'node:test'
import * as secp from '@noble/secp256k1'
import { noble } from '../../../src/crypto/noble.js'
import { readSignature } from '../../../src/crypto/secp256k1.js'
import { chooseEngine } from '../../../src/verify/engine-choice.js'
import { compileKeyTables, KeyTables } from '../../../src/verify/key-tables.js'
import { bytes32, chooseSignature, inverse, modulo } from '../../../test/support/chosen-signature.js'
import { dice } from '../../../test/support/dice.js'
import { encodeDer, ORDER, testKey } from '../../../test/support/signing.js'
import {
  derOf,
  KEYS,
  keyOf,
  mirrored,
  mixed,
  setAllKeys,
  sign,
  type Tabled,
  verify,
} from '../../../test/support/tabled-signatures.js'
import { wycheproofCases } from '../../../test/support/wycheproof.js'

const { engine } = await chooseEngine('auto')
const code = await compileKeyTables()
const tables = new KeyTables(code, KEYS)
const throwDice = dice('key tables')
/** One less than the prime of the field exceeds n. */
const X_ABOVE_N_MAX = 2n ** 256n - 2n ** 32n - 977n - ORDER - 1n

/** Vectors whose points coincide on the way; these are none, or are those of the generator itself. */
const UNDECIDED_VECTORS = [
  'point at infinity during verify',
  'duplication bug',
  'comparison with point at infinity',
  'public key shares x-coordinate with generator',
]

function scalar(): bigint {
  return (throwDice() % (ORDER - 1n)) + 1n
}

/** What the tests call without `KeyTables`. */
interface Exports {
  readonly memory: WebAssembly.Memory
  readonly INPUT: WebAssembly.Global
  readonly VERDICTS: WebAssembly.Global
  readonly KEY_INPUT: WebAssembly.Global
  start(keys: number): number
  setKey(table: number): void
  verify(count: number): void
}

function assertMixed(count: number): void {
  const all = mixed(count)
  assert.deepEqual(
    verify(tables, all),
    all.map(({ expected }) => expected),
    `${count} signatures`,
  )
}

describe('tables of keys', () => {
  beforeEach(() => setAllKeys(tables))

  test('agree with every Wycheproof vector whose key is one and whose signature is well-formed', () => {
    const counts = { valid: 0, invalid: 0, undecided: 0 }
    const undecided = new Set<string>()
    for (const { id, comment, message, publicKey, signature, result } of wycheproofCases()) {
      const compact = engine.isPublicKey(publicKey) ? readSignature(signature) : null
      if (compact === null) {
        assert.equal(result, 'invalid')
        continue
      }
      tables.setKey(0, engine.uncompress(publicKey))
      const digest = createHash('sha256').update(message).digest()
      const signed: Tabled = { compact: Buffer.from(compact), digest, table: 0 }
      // In both lanes, and with both halves of s.
      for (const verdict of verify(tables, [signed, mirrored(signed)])) {
        counts[verdict]++
        if (verdict === 'undecided') undecided.add(comment.trim())
        else assert.equal(verdict, result, `${id} ${comment}`)
      }
    }
    // All of these are invalid.
    assert.deepEqual(counts, { valid: 2 * 168, invalid: 34, undecided: 2 * 5 })
    assert.deepEqual([...undecided], UNDECIDED_VECTORS)
  })

  test('agree with the engines on hundreds of signatures and forgeries', () => {
    for (let round = 0; round < 10; round++) {
      const all = mixed(tables.batchLimit)
      const verdicts = verify(tables, all)
      for (const [i, signed] of all.entries()) {
        const { digest, table, expected } = signed
        assert.equal(verdicts[i], expected)
        assert.equal(engine.verify(derOf(signed), digest, keyOf(table)), expected === 'valid')
        if (round === 0) assert.equal(noble.verify(derOf(signed), digest, keyOf(table)), expected === 'valid')
      }
    }
  })

  test('judge batches of every size, also one after another', () => {
    assert.deepEqual(verify(tables, []), [])
    for (let size = 1; size <= tables.batchLimit; size++) assertMixed(size)
    for (let size = tables.batchLimit; size > 0; size -= 3) assertMixed(size)
  })

  test('are replaced one by one', () => {
    const old = sign('of the old key', KEYS - 1)
    const others = Array.from({ length: KEYS - 1 }, (_, table) => sign('of another key', table))
    const newcomer = testKey('newcomer')
    const { compact, digest } = chooseSignature(BigInt(`0x${Buffer.from(newcomer.secretKey).toString('hex')}`), 5n, 7n)
    const new_ = { compact, digest, table: KEYS - 1 }
    const isOfOthers = others.map(() => 'valid')
    assert.deepEqual(verify(tables, [old, new_, ...others]), ['valid', 'invalid', ...isOfOthers])
    tables.setKey(KEYS - 1, engine.uncompress(newcomer.publicKey))
    assert.deepEqual(verify(tables, [old, new_, ...others]), ['invalid', 'valid', ...isOfOthers])
    setAllKeys(tables)
    assert.deepEqual(verify(tables, [old, new_, ...others]), ['valid', 'invalid', ...isOfOthers])
  })

  test('tell a key from the mirrored one', () => {
    const point = Buffer.from(keyOf(0))
    point[0] = point[0] === 2 ? 3 : 2
    const signed = sign('mirrored', 0)
    tables.setKey(1, engine.uncompress(point))
    assert.deepEqual(verify(tables, [signed, { ...signed, table: 1 }]), ['valid', 'invalid'])
  })

  test('judge digests at the edges: 0, around n, and all ones', () => {
    for (const e of [0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 256n - 1n]) {
      const [secret, k] = [scalar(), scalar()]
      const r = modulo(secp.Point.BASE.multiply(k).toAffine().x)
      const s = modulo((e + r * secret) * inverse(k))
      const publicKey = secp.getPublicKey(bytes32(secret))
      tables.setKey(0, engine.uncompress(publicKey))
      const signed = { compact: Buffer.concat([bytes32(r), bytes32(s)]), digest: bytes32(e), table: 0 }
      const other = { ...signed, digest: bytes32(e ^ 1n) }
      assert.deepEqual(verify(tables, [signed, other, mirrored(signed)]), ['valid', 'invalid', 'valid'], `${e}`)
      assert.equal(engine.verify(encodeDer(r, s), bytes32(e), publicKey), true)
    }
  })

  test('judge scalars at the edges, also of keys with a small secret', () => {
    const edges = [1n, 2n, 3n, 127n, 128n, 2047n, 2048n, 2n ** 128n, 2n ** 253n, 2n ** 255n, ORDER / 2n]
    const both = [...edges, ...edges.map((u) => ORDER - u)]
    let [undecided, judged] = [0, 0]
    for (const secret of [scalar(), 1n, 2n, ORDER - 1n, ORDER - 2n, inverse(2n)]) {
      tables.setKey(0, engine.uncompress(secp.getPublicKey(bytes32(secret))))
      for (const u1 of [0n, ...both]) {
        const some = both.map((u2) => ({ ...chooseSignature(secret, u1, u2), table: 0, u2 }))
        for (const [i, verdict] of verify(tables, some).entries()) {
          judged++
          const { der, digest, publicKey, u2 } = some[i] ?? assert.fail()
          if (verdict === 'undecided') undecided++
          else assert.equal(verdict === 'valid', engine.verify(der, digest, publicKey), `${u1} ${u2} ${secret}`)
        }
      }
    }
    assert.ok(undecided < judged / 50, `${undecided} of ${judged} are undecided`)
  })

  test('accept an r that is n less than the x of the sum, and no other', () => {
    let found = 0
    for (let r = 1n; found < 6; r++) {
      const x = found < 3 ? ORDER + r : ORDER + X_ABOVE_N_MAX - r
      const point = pointWithX(x)
      if (point === null) continue
      found++
      const [s, e] = [scalar(), scalar()]
      // The key for which the signature is valid: P = (s R - e G) / r.
      const u = inverse(x - ORDER)
      const key = point.multiply(modulo(s * u)).subtract(secp.Point.BASE.multiply(modulo(e * u)))
      tables.setKey(0, key.toBytes(false))
      const signed = { compact: Buffer.concat([bytes32(x - ORDER), bytes32(s)]), digest: bytes32(e), table: 0 }
      const other = { ...signed, compact: Buffer.concat([bytes32(x - ORDER + 1n), bytes32(s)]) }
      assert.deepEqual(verify(tables, [signed, other]), ['valid', 'invalid'], `${x}`)
      assert.equal(engine.verify(encodeDer(x - ORDER, s), bytes32(e), key.toBytes(true)), true)
    }
  })

  test('refuse what is no signature, no key, no table and too much', () => {
    const { compact, digest } = sign('refused', 0)
    const full = new KeyTables(code, 1)
    const point = engine.uncompress(keyOf(0))
    assert.throws(() => full.add(compact.subarray(1), digest, 0), RangeError)
    assert.throws(() => full.add(compact, digest.subarray(1), 0), RangeError)
    assert.throws(() => full.setKey(0, point.subarray(1)), RangeError)
    for (const table of [1, -1, 0.5, Number.NaN, 2 ** 32]) {
      assert.throws(() => full.add(compact, digest, table), RangeError, `${table}`)
      assert.throws(() => full.setKey(table, point), RangeError, `${table}`)
    }
    full.setKey(0, point)
    for (let i = 0; i < full.batchLimit; i++) full.add(compact, digest, 0)
    assert.throws(() => full.add(compact, digest, 0), /too many/)
    assert.deepEqual(full.verify(), Array(full.batchLimit).fill('valid'))
    assert.deepEqual(full.verify(), [])
  })

  test('trap for what no caller may give, even when JavaScript lets it pass', () => {
    const { exports } = new WebAssembly.Instance(code) as unknown as { exports: Exports }
    exports.start(2)
    const point = engine.uncompress(keyOf(0)).subarray(1)
    const key = new Uint8Array(exports.memory.buffer, exports.KEY_INPUT.value, point.length)
    key.set(point)
    for (const table of [2, -1, 2 ** 31 - 1]) assert.throws(() => exports.setKey(table), /unreachable/, `${table}`)
    exports.setKey(1)
    key[63] = (key[63] ?? 0) ^ 1
    assert.throws(() => exports.setKey(0), /unreachable/, 'a point off the curve')
    const input = new DataView(exports.memory.buffer, exports.INPUT.value, 100)
    const { compact, digest } = sign('trapped', 0)
    const put = (r: Uint8Array, s: Uint8Array, table: number) => {
      for (const [i, byte] of [...digest, ...r, ...s].entries()) input.setUint8(i, byte)
      input.setUint32(96, table, true)
    }
    const [r, s] = [compact.subarray(0, 32), compact.subarray(32)]
    put(r, s, 1)
    exports.verify(1)
    assert.equal(new Uint8Array(exports.memory.buffer, exports.VERDICTS.value, 1)[0], 'V'.charCodeAt(0))
    for (const count of [65, -1]) assert.throws(() => exports.verify(count), /unreachable/, `${count} signatures`)
    for (const table of [2, 2 ** 32 - 1]) {
      put(r, s, table)
      assert.throws(() => exports.verify(1), /unreachable/, `table ${table}`)
    }
    for (const wrong of [0n, ORDER, 2n ** 256n - 1n]) {
      put(bytes32(wrong), s, 1)
      assert.throws(() => exports.verify(1), /unreachable/, `r ${wrong}`)
      put(r, bytes32(wrong), 1)
      assert.throws(() => exports.verify(1), /unreachable/, `s ${wrong}`)
    }
    put(r, s, 1)
    exports.verify(1)
    assert.equal(new Uint8Array(exports.memory.buffer, exports.VERDICTS.value, 1)[0], 'V'.charCodeAt(0))
  })

  test('are not made beyond the memory that has addresses', () => {
    // The last one is the first whose pages are a little more than 2^32.
    for (const limit of [28_400, 60_000, 2 ** 31, -1, 1_857_283_155]) {
      assert.throws(() => new KeyTables(code, limit), /no memory/, `${limit}`)
    }
  })
})

function pointWithX(x: bigint): secp.Point | null {
  try {
    return secp.Point.fromBytes(Buffer.concat([Buffer.of(2), bytes32(x)]))
  } catch {
    return null
  }
}
