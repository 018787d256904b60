import { decodeBase64 } from '../crypto/base64.js'
import { normalisePublicKey, publicKeyFromPem } from '../crypto/ledger-key.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'

/** The one key type that identities of the service have (specification, Ledger steps). */
export const KEY_TYPE = 'secp256k1'

/** 33 or 65 bytes. */
const KEY_HEX = /^(?:0x)?((?:[0-9a-fA-F]{66})|(?:[0-9a-fA-F]{130}))$/

/**
 * The compressed form of a public key as a transaction carries it: hex of the compressed or uncompressed point, or PEM;
 * null for anything else. A real node refuses hex without `0x`, but the specification shows clients that send it so,
 * and the simulated one takes both.
 */
export function parseLedgerKey(text: string): Uint8Array | null {
  const digits = KEY_HEX.exec(text)?.[1]
  return digits === undefined ? publicKeyFromPem(text) : normalisePublicKey(Buffer.from(digits, 'hex'))
}

/** Whether `signature`, base64 of DER with high or low S, is the key's over the digest. */
export function isSignedBy(
  engine: Secp256k1Engine,
  signature: string,
  digest: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  const der = decodeBase64(signature)
  return der !== null && engine.verify(der, digest, publicKey)
}
