import { hmac } from '@noble/hashes/hmac.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { getPublicKey, Point } from '@noble/secp256k1'
import { concatenated, fromHex, toHex, utf8 } from './bytes.js'

const { n: ORDER } = Point.CURVE()
const KEY_BYTES = 32
const INDEX_BYTES = 4
/** Children from here on follow from the private key alone. */
const HARDENED = 2 ** 31
const PATH = /^m(?:\/\d+'?)*$/

/** An extended private key (BIP-32). */
interface Node {
  readonly key: bigint
  readonly chainCode: Uint8Array
}

/**
 * The private key below a seed along a path such as `m/44'/60'/0'/0/0` (BIP-32, private parent key to private child key). Throws a
 * `TypeError` for what is no path, and where it leads to no key, which happens to one path in 2¹²⁷.
 */
export function derivedKey(seed: Uint8Array, path: string): Uint8Array {
  const master = nodeOf(hmac(sha512, utf8('Bitcoin seed'), seed), 0n)
  return keyBytes(indexesOf(path).reduce(childOf, master).key)
}

function indexesOf(path: string): readonly number[] {
  const [, ...steps] = PATH.test(path) ? path.split('/') : []
  const indexes = steps.map((step) => ({ number: Number.parseInt(step, 10), isHardened: step.endsWith("'") }))
  if (!PATH.test(path) || indexes.some(({ number }) => number >= HARDENED)) {
    throw new TypeError("a path is m, then numbers below 2147483648, as in m/44'/60'/0'/0/0")
  }
  return indexes.map(({ number, isHardened }) => (isHardened ? HARDENED : 0) + number)
}

function childOf({ key, chainCode }: Node, index: number): Node {
  const parent = index >= HARDENED ? concatenated(Uint8Array.of(0), keyBytes(key)) : getPublicKey(keyBytes(key))
  const number = new Uint8Array(INDEX_BYTES)
  new DataView(number.buffer).setUint32(0, index)
  return nodeOf(hmac(sha512, chainCode, concatenated(parent, number)), key)
}

/** The two halves of a digest: what is added to the parent's key, and the chain code. */
function nodeOf(digest: Uint8Array, parent: bigint): Node {
  const added = BigInt(`0x${toHex(digest.subarray(0, KEY_BYTES))}`)
  const key = (added + parent) % ORDER
  if (added >= ORDER || key === 0n) throw new TypeError('the path leads to no private key')
  return { key, chainCode: digest.subarray(KEY_BYTES) }
}

function keyBytes(key: bigint): Uint8Array {
  return fromHex(key.toString(16).padStart(2 * KEY_BYTES, '0')) as Uint8Array
}
