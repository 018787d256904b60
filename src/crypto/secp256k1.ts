/**
 * The policy for secp256k1 keys and signatures, stated once (decisions 2):
 *
 * - A public key is the compressed point of SEC 1, 2.3.3: 33 bytes, 02 or 03 first, on the curve. Uncompressed and
 *   hybrid keys are refused, so one key has one spelling.
 * - A signature is strict DER (`der.ts`) of r and s, each from 1 to n − 1. High and low S are both accepted, because
 *   OpenSSL, Java and Go clients emit high S half of the time. Malleability does no harm here: nothing is identified
 *   by its signature.
 * - The digest is SHA-256 of the signed text.
 *
 * Engines supply only the operations on the curve. Everything that can be decided without it is decided here, so that no
 * engine is laxer than another.
 */

import { decodeDerSignature, SCALAR_BYTES } from './der.js'

/** Bytes of a compressed public key. */
export const PUBLIC_KEY_BYTES = 33
/** Bytes of a SHA-256 digest. */
export const DIGEST_BYTES = 32

/** n, the order of the group (SEC 2, 2.4.1), big-endian. */
const ORDER = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex')
/** ⌊n / 2⌋, the largest low S (BIP 62). */
const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')

const PREFIX_EVEN_Y = 0x02
const PREFIX_ODD_Y = 0x03
const PUBLIC_KEY_TEXT = /^(?:0x)?([0-9a-fA-F]{66})$/

export type Secp256k1EngineName = 'libsecp256k1' | 'noble'

export interface Secp256k1Engine extends Pick<CurveOperations, 'uncompress'> {
  readonly name: Secp256k1EngineName
  /** Whether `key` is a compressed public key, on the curve. */
  isPublicKey(key: Uint8Array): boolean
  /**
   * Whether `signatureDer` signs `digest` under `publicKey`. A malformed signature or key is false.
   * Throws a RangeError when the digest is not 32 bytes, which only a defect can cause.
   */
  verify(signatureDer: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean
}

/** What an engine implements. */
export interface CurveOperations {
  /** Whether a key of 33 bytes beginning with 02 or 03 has an x coordinate that is on the curve. */
  isOnCurve(key: Uint8Array): boolean
  /**
   * Verifies r ‖ s, both in range and s low, over a digest of 32 bytes. The key is as for `isOnCurve` but perhaps not
   * on the curve, which is false.
   */
  verifyCompact(signature: Uint8Array, digest: Uint8Array, key: Uint8Array): boolean
  /** The 65 bytes of a key that is on the curve: `isPublicKey` accepts it, or a signature was valid for it. */
  uncompress(key: Uint8Array): Uint8Array
}

/** Puts the policy in front of an implementation of the curve. */
export function createEngine(name: Secp256k1EngineName, curve: CurveOperations): Secp256k1Engine {
  return {
    name,
    isPublicKey: (key) => isCompressed(key) && curve.isOnCurve(key),
    verify(signatureDer, digest, publicKey) {
      if (digest.length !== DIGEST_BYTES) {
        throw new RangeError(`a digest has ${DIGEST_BYTES} bytes, not ${digest.length}`)
      }
      if (!isCompressed(publicKey)) return false
      const signature = readSignature(signatureDer)
      return signature !== null && curve.verifyCompact(signature, digest, publicKey)
    },
    uncompress: curve.uncompress,
  }
}

/** Returns r ‖ s with a low s, or null when the signature breaks the policy. */
export function readSignature(signatureDer: Uint8Array): Uint8Array | null {
  const signature = decodeDerSignature(signatureDer)
  if (signature === null || !isScalar(signature, 0) || !isScalar(signature, SCALAR_BYTES)) return null
  lowerS(signature, SCALAR_BYTES)
  return signature
}

/**
 * Reads the text form of a public key: 66 hex digits in either case, `0x` optional. Anything else is null.
 * Cheap on purpose: whether the 33 bytes are a key is for `isPublicKey`, or for the signature to show.
 */
export function parsePublicKeyHex(text: string): Uint8Array | null {
  const digits = PUBLIC_KEY_TEXT.exec(text)?.[1]
  return digits === undefined ? null : Buffer.from(digits, 'hex')
}

/** The bytes of a key as text, for use as the key of a map. */
export function publicKeyName(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

function isCompressed(key: Uint8Array): boolean {
  return key.length === PUBLIC_KEY_BYTES && (key[0] === PREFIX_EVEN_Y || key[0] === PREFIX_ODD_Y)
}

/** Whether the 32 bytes at `offset` are a number from 1 to n − 1, as SEC 1, 4.1.4 requires of r and s. */
function isScalar(bytes: Uint8Array, offset: number): boolean {
  if (compare(bytes, offset, ORDER) >= 0) return false
  for (let i = 0; i < SCALAR_BYTES; i++) if (bytes[offset + i] !== 0) return true
  return false
}

/**
 * Replaces the s at `offset`, a scalar, by n − s when it is in the upper half. Both verify for the same message and key;
 * libsecp256k1 accepts only the lower one. A signature is public, so this needs no constant time.
 */
function lowerS(bytes: Uint8Array, offset: number): void {
  if (compare(bytes, offset, HALF_ORDER) <= 0) return
  let borrow = 0
  for (let i = SCALAR_BYTES - 1; i >= 0; i--) {
    const difference = (ORDER[i] ?? 0) - (bytes[offset + i] ?? 0) - borrow
    borrow = difference < 0 ? 1 : 0
    bytes[offset + i] = difference & 0xff
  }
}

/** Negative, zero or positive as the number at `offset` is less than, equal to or greater than `other`. */
function compare(bytes: Uint8Array, offset: number, other: Uint8Array): number {
  for (let i = 0; i < SCALAR_BYTES; i++) {
    const difference = (bytes[offset + i] ?? 0) - (other[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
