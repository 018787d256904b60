/**
 * What an ECDSA signature needs to know of numbers modulo the order of secp256k1 (SEC 2, 2.4.1). Nothing here is
 * secret, so nothing needs constant time.
 */

import { SCALAR_BYTES } from './der.js'

/** n, the order of the group, big-endian. */
const ORDER = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex')
/** ⌊n / 2⌋, the largest low S (BIP 62). */
const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')

/** Whether the 32 bytes at `offset` are a number from 1 to n − 1, as SEC 1, 4.1.4 requires of r and s. */
export function isScalar(bytes: Uint8Array, offset: number): boolean {
  if (compare(bytes, offset, ORDER) >= 0) return false
  for (let i = 0; i < SCALAR_BYTES; i++) if (bytes[offset + i] !== 0) return true
  return false
}

/**
 * Replaces the s at `offset`, which must be a scalar, by n − s when it is in the upper half. Both verify for the same
 * message and key; libsecp256k1 accepts only the lower one.
 */
export function lowerS(bytes: Uint8Array, offset: number): void {
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
