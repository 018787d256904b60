import { createHash } from 'node:crypto'
import { isObject } from '../base/json-object.js'
import { normalisePublicKey, publicKeyFromPem } from '../crypto/ledger-key.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import { streamIdOf } from './ledger-transaction.js'

const COMPRESSED_HEX = /^0x(0[23][0-9a-fA-F]{64})$/
const UNCOMPRESSED_HEX = /^0x(04[0-9a-fA-F]{128})$/
/** Keys of one identity, and signatures under one name, that are tried: each pair may cost a verification. */
const KEYS_MAX = 8

/**
 * The compressed form of a public key in a transaction: hex of the compressed or uncompressed point behind `0x`, or
 * PEM; null for anything else. Nodes accept no hex without `0x`. Verification decides whether a compressed key is on
 * the curve: no signature is valid under one that is not.
 */
export function parseLedgerKey(text: string): Uint8Array | null {
  const compressed = COMPRESSED_HEX.exec(text)?.[1]
  if (compressed !== undefined) return Buffer.from(compressed, 'hex')
  const uncompressed = UNCOMPRESSED_HEX.exec(text)?.[1]
  return uncompressed === undefined ? publicKeyFromPem(text) : normalisePublicKey(Buffer.from(uncompressed, 'hex'))
}

/**
 * Whether a committed transaction carries a signature by one of `keyTexts` under the name `signer`: a label, or the id
 * of a stream in any spelling that a node understands. The commit itself proves nothing: nodes accept an object in
 * place of a signature, as a list of signatures by the hashes of their keys, and commit the transaction whatever is in
 * it. Every signature of such a list must be valid.
 */
export function isSignedFor(
  committed: Readonly<Record<string, unknown>>,
  signer: string,
  keyTexts: readonly string[],
  engine: Secp256k1Engine,
): boolean {
  const { $tx, $sigs } = committed
  const digest = isObject($tx) ? digestOf($tx) : null
  if (digest === null || !isObject($sigs)) return false
  const keys = keyTexts
    .slice(0, KEYS_MAX)
    .map(parseLedgerKey)
    .filter((key) => key !== null)
  // DER with high or low S, in base64, which nodes decode as leniently as Node.js.
  const isValid = (signature: string) => {
    const der = Buffer.from(signature, 'base64')
    return keys.some((key) => engine.verify(der, digest, key))
  }
  return Object.entries($sigs).some(([name, value]) => {
    const signatures = streamIdOf(name) === signer ? signaturesIn(value) : []
    return signatures.length > 0 && signatures.length <= KEYS_MAX && signatures.every(isValid)
  })
}

/**
 * One signature, or those of several authorities by the hashes of their keys; empty when one of them is not a string.
 */
function signaturesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  const values = isObject(value) ? Object.values(value) : []
  const texts = values.filter((one): one is string => typeof one === 'string')
  return texts.length === values.length ? texts : []
}

/** Null for values that are nested too deeply to be serialised. */
function digestOf(tx: object): Uint8Array | null {
  try {
    return createHash('sha256').update(JSON.stringify(tx)).digest()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
