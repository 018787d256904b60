/**
 * Public keys in the forms that a ledger node takes besides the compressed one. The service itself takes none of
 * them (`secp256k1.ts`); only the simulated ledger does.
 */

import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { Point, utils } from '@noble/secp256k1'

const PEM_HEADER = '-----BEGIN PUBLIC KEY-----'
const UNCOMPRESSED = 0x04

/** The compressed form of a key of 33 bytes (02, 03) or 65 bytes (04), or null when it is neither or off the curve. */
export function normalisePublicKey(key: Uint8Array): Uint8Array | null {
  return utils.isValidPublicKey(key) ? Point.fromBytes(key).toBytes(true) : null
}

/** The compressed form of a secp256k1 key in PEM of a SubjectPublicKeyInfo (RFC 5480), or null when it is none. */
export function publicKeyFromPem(pem: string): Uint8Array | null {
  // Node would also derive the public key of a private one or of a certificate.
  if (!pem.trimStart().startsWith(PEM_HEADER)) return null
  const { crv, x, y } = exportJwk(pem) ?? {}
  if (crv !== 'secp256k1' || x === undefined || y === undefined) return null
  return normalisePublicKey(
    Buffer.concat([Uint8Array.of(UNCOMPRESSED), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]),
  )
}

/** Null for a text that is no key, and for a kind of key that has no JWK: Node throws for both. */
function exportJwk(pem: string): JsonWebKey | null {
  try {
    return createPublicKey({ key: pem, format: 'pem' }).export({ format: 'jwk' })
  } catch {
    return null
  }
}
