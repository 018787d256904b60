import * as secp from '@noble/secp256k1'
import { encodeDer, ORDER } from './signing.js'

/* Signatures whose u1 and u2 are chosen, and so the points that a verification adds. */

export interface ChosenSignature {
  readonly digest: Buffer
  /** r ‖ s. */
  readonly compact: Buffer
  readonly der: Buffer
  /** Compressed. */
  readonly publicKey: Uint8Array
}

/**
 * With R = u1 G + u2 P, r = x(R), s = r / u2 and e = u1 s. Where R is no point, r is 1 and the signature invalid;
 * otherwise it is valid.
 */
export function chooseSignature(secret: bigint, u1: bigint, u2: bigint): ChosenSignature {
  const k = modulo(u1 + u2 * secret)
  const r = k === 0n ? 1n : secp.Point.BASE.multiply(k).toAffine().x % ORDER
  const s = modulo(r * inverse(u2))
  return {
    digest: bytes32(modulo(u1 * s)),
    compact: Buffer.concat([bytes32(r), bytes32(s)]),
    der: encodeDer(r, s),
    publicKey: secp.getPublicKey(bytes32(secret)),
  }
}

export function bytes32(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
}

export function modulo(value: bigint): bigint {
  return ((value % ORDER) + ORDER) % ORDER
}

/** By Euclid's algorithm. */
export function inverse(value: bigint): bigint {
  let [a, b, x, y] = [modulo(value), ORDER, 1n, 0n]
  while (a > 1n) {
    const quotient = b / a
    ;[a, b] = [b - quotient * a, a]
    ;[x, y] = [y - quotient * x, x]
  }
  if (a !== 1n) throw new Error('0 has no inverse.')
  return modulo(x)
}
