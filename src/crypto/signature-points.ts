import { Point } from '@noble/secp256k1'
import { SCALAR_BYTES } from './der.js'

/*
 * Whether one signature fits any of very many digests, which a diagnosis asks. A signature (r, s) of the digest z under the
 * key Q satisfies s·R = z·G + r·Q, where R is one of the two points with the x coordinate r (SEC 1, 4.1.6). So z·G is one of
 * two points that signature and key determine, and each further digest costs one multiplication of G.
 */

const ORDER = Point.CURVE().n

/** The two points that z·G can be, each as a number; none if r or s can belong to no signature, or the key is no point. */
export function pointsOfSignature(compact: Uint8Array, publicKey: Uint8Array): readonly bigint[] {
  const r = scalar(compact.subarray(0, SCALAR_BYTES))
  const s = scalar(compact.subarray(SCALAR_BYTES))
  if (r === 0n || s === 0n || r >= ORDER || s >= ORDER) return []
  try {
    const product = Point.fromBytes(publicKey).multiplyUnsafe(r)
    return [0x02, 0x03].map((prefix) => {
      const nonce = Point.fromBytes(Uint8Array.of(prefix, ...compact.subarray(0, SCALAR_BYTES)))
      return numberOf(nonce.multiplyUnsafe(s).subtract(product))
    })
  } catch {
    // Not every number is the x coordinate of a point.
    return []
  }
}

/** The point z·G of a digest, as such a number. Of a digest ECDSA takes the first 32 bytes (SEC 1, 4.1.3); null for the digest zero. */
export function pointOfDigest(digest: Uint8Array): bigint | null {
  const z = scalar(digest.subarray(0, SCALAR_BYTES)) % ORDER
  return z === 0n ? null : numberOf(Point.BASE.multiplyUnsafe(z))
}

function scalar(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
}

/** Its x coordinate, and which of the two points with it. Shorter ways to text check the point once more, which is slow. */
function numberOf(point: Point): bigint {
  const { x, y } = point.toAffine()
  return (x << 1n) | (y & 1n)
}
