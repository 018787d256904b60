/** Proves tables of keys on signatures whose verdicts are known, before they judge any other. */

import { hash } from 'node:crypto'
import { etc, Point } from '@noble/secp256k1'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import type { KeyTables, TableVerdict } from './key-tables.js'

/** Signatures of the self-test. */
const COUNT = 64
const ORDER = Point.CURVE().n
const { bytesToNumberBE, invert, mod, numberToBytesBE } = etc

interface KnownKey {
  readonly secret: bigint
  readonly publicKey: Uint8Array
}

function knownKey(secretHex: string, publicKeyHex: string): KnownKey {
  return { secret: BigInt(`0x${secretHex}`), publicKey: Buffer.from(publicKeyHex, 'hex') }
}

/** 2^-49 modulo n. Row 7 of its table holds the points of row 0 of the generator's table, so two points can be equal. */
const COLLIDING = knownKey(
  'ffb32ac4589f7ffffffffffffffffffebb107ff56b664ca599b954521f9972fa',
  '02d3cad0e19765ae889d91d8ae36f14b4116f0c356fe3f7318020040c330ee16b4',
)
/** The SHA-256 of "billhook key tables 0", 1 and 2. */
const KEYS: readonly KnownKey[] = [
  COLLIDING,
  knownKey(
    '9bcb5c8a69252b8125d4e10f60d81fddd50d4ec0d2eab7109192e6faea91fa4b',
    '03f9be1ba270d38fc9e7c3637a60667cb711fbd6f7537755b946ca09b7d6128eea',
  ),
  knownKey(
    '314be234c51bca458d7fc78f46ffdb0c0ae3260d43358be4e2d44f27ea0d95c2',
    '03d35032442b3cb80fee0bb24b175a68f5ec28df174fc3ec1c8840364391494415',
  ),
  knownKey(
    'fb08c0f9aca0ed6bfcc7fc5f23d11d5a4a33e20d57c89ae981b0acd0280e7557',
    '0331aeda691f905cee00e5b9dfa5b44aaf0170d5ebb46bbbf845331bb78eea3337',
  ),
]
/** Digits of the same point in both tables of `COLLIDING`, and the x of the sum u1 G + u2 P. */
const COLLIDING_U1 = 2n ** 200n + 2n ** 11n + 1n
const COLLIDING_U2 = ((2n ** 7n + 1n) << 49n) + 1n
const COLLIDING_R = 0x458698adc2ad727e93d085fc1e3cfac6ba4a03fdfa4553f6aa0798152c363606n

interface KnownSignature {
  readonly compact: Uint8Array
  readonly digest: Uint8Array
  readonly verdict: TableVerdict
}

/**
 * Throws an Error unless 64 signatures by up to four keys, the last table's among them, are judged as they must be. It
 * overwrites these tables.
 */
export function assertTablesWork(tables: KeyTables, engine: Secp256k1Engine): void {
  const { limit } = tables
  const places = [...new Set([limit - 1, 0, limit >> 1, limit >> 2])]
  const keys = KEYS.slice(0, places.length)
  for (const [i, { publicKey }] of keys.entries()) tables.setKey(places[i] ?? 0, engine.uncompress(publicKey))
  const known = Array.from({ length: COUNT }, (_, i) => knownSignature(i, keys[i % keys.length] ?? COLLIDING))
  for (const [i, { compact, digest }] of known.entries()) tables.add(compact, digest, places[i % keys.length] ?? 0)
  const verdicts = tables.verify()
  if (known.some(({ verdict }, i) => verdicts[i] !== verdict)) throw new Error('a known signature was judged wrongly')
}

/** In turn valid, forged and, with the key that can, undecided. The public key of another known key is the nonce's point. */
function knownSignature(i: number, key: KnownKey): KnownSignature {
  const kind = (i >> 2) % 3
  if (kind === 2 && key === COLLIDING) {
    const s = mod(COLLIDING_R * invert(COLLIDING_U2, ORDER), ORDER)
    const digest = numberToBytesBE(mod(COLLIDING_U1 * s, ORDER))
    return { compact: compactOf(COLLIDING_R, s), digest, verdict: 'undecided' }
  }
  const digest = hash('sha256', `${i}`, 'buffer')
  const nonce = KEYS[(i + 1) % KEYS.length] ?? key
  const r = mod(bytesToNumberBE(nonce.publicKey.subarray(1)), ORDER)
  const s = mod((bytesToNumberBE(digest) + r * key.secret) * invert(nonce.secret, ORDER), ORDER)
  if (kind === 1) digest[31] = (digest[31] ?? 0) ^ 1
  return { compact: compactOf(r, s), digest, verdict: kind === 1 ? 'invalid' : 'valid' }
}

function compactOf(r: bigint, s: bigint): Uint8Array {
  return Buffer.concat([numberToBytesBE(r), numberToBytesBE(s)])
}
