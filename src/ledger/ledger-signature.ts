import { createHash } from 'node:crypto'
import { isObject } from '../base/json-object.js'
import { normalisePublicKey, publicKeyFromPem } from '../crypto/ledger-key.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import { streamIdOf } from './ledger-transaction.js'

const COMPRESSED_HEX = /^0x(0[23][0-9a-fA-F]{64})$/
const UNCOMPRESSED_HEX = /^0x(04[0-9a-fA-F]{128})$/
/** Signatures under one name that are tried, each with every key: each pair may cost a verification. */
const SIGNATURES_MAX = 8
/** Keys of one identity, present and past, that are tried. */
export const KEYS_TRIED_MAX = 32

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
 * Whether a committed transaction carries a signature by one of `keyTexts` under the name `signer`: see `signersOf`.
 */
export function isSignedFor(
  committed: Readonly<Record<string, unknown>>,
  signer: string,
  keyTexts: readonly string[],
  engine: Secp256k1Engine,
): boolean {
  const keys = keyTexts
    .slice(0, SIGNATURES_MAX)
    .map(parseLedgerKey)
    .filter((key) => key !== null)
    .map((key) => Buffer.from(key).toString('hex'))
  return signersOf(committed, signer, keys, engine).length > 0
}

/**
 * Which of some keys, compressed and in hex, have signed a committed transaction under the name `signer`: a label, or the
 * id of a stream in any spelling that a node understands. None unless all signatures under that name are theirs. The
 * commit itself proves nothing: nodes accept an object in place of a signature, as a list of signatures by the hashes of
 * their keys, and commit the transaction whatever is in it.
 */
export function signersOf(
  committed: Readonly<Record<string, unknown>>,
  signer: string,
  keys: readonly string[],
  engine: Secp256k1Engine,
): readonly string[] {
  const { $tx, $sigs } = committed
  if (!isObject($tx) || !isObject($sigs) || keys.length === 0) return []
  const lists = Object.entries($sigs).flatMap(([name, value]) => {
    const signatures = streamIdOf(name) === signer ? signaturesIn(value) : []
    return signatures.length > 0 && signatures.length <= SIGNATURES_MAX ? [signatures] : []
  })
  const digest = lists.length === 0 ? null : digestOf($tx)
  if (digest === null) return []
  const tried = keys.slice(0, KEYS_TRIED_MAX).map((key) => ({ key, bytes: Buffer.from(key, 'hex') }))
  for (const signatures of lists) {
    // DER with high or low S, in base64, which nodes decode as leniently as Node.js.
    const found = signatures.map((signature) => {
      const der = Buffer.from(signature, 'base64')
      return tried.find(({ bytes }) => engine.verify(der, digest, bytes))?.key
    })
    if (!found.includes(undefined)) return [...new Set(found.filter((key) => key !== undefined))]
  }
  return []
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
