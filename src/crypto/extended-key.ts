/**
 * Extended public keys (BIP-32): a public key from which the public keys of addresses are derived, and no private key.
 * Hardened steps take the private key, so an extended key is that of an account (BIP-44, m/44'/60'/0') or of the chain of its
 * addresses (m/44'/60'/0'/0). Its depth says which.
 */

import { createHash } from 'node:crypto'
import { createBase58check } from '@scure/base'
import { HARDENED_OFFSET, HDKey } from '@scure/bip32'
import { noble } from './noble.js'
import { hasPrivateKey } from './private-text.js'

/** The addresses m/…/0, m/…/1 and so on. */
export interface AddressChain {
  /** 16 hex digits of a digest of the chain, which tell nobody the key. An account and its first chain have the same. */
  readonly name: string
  /** The uncompressed public key of the address: 65 bytes. */
  keyAt(index: number): Uint8Array
}

/** Bytes of a serialised extended key, and where its key is (BIP-32, Serialization format). */
const LENGTH_BYTES = 78
const KEY_AT = 45
/** `xpub` and nothing else: no wallet of these networks has another version. */
const VERSION = 0x0488b21e
const PREFIX_CHARACTERS = 4

const ACCOUNT_DEPTH = 3
const CHAIN_DEPTH = 4
/** The chain of the addresses that are given to others (BIP-44). */
const EXTERNAL_CHAIN = 0
const NAME_DIGITS = 16

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

const PRIVATE_FLAW =
  'holds a private key or a recovery phrase, which must never come near this service. Delete it from this machine, and export the extended public key (xpub) instead. If others could read it here, move the money to a new seed'

/**
 * The chain of addresses that the text of a file stands for, or why there is none, as the end of a sentence. It repeats nothing of
 * what may be secret.
 */
export function readAddressChain(fileText: string): AddressChain | { readonly flaw: string } {
  const text = fileText.trim()
  if (hasPrivateKey(text)) return { flaw: PRIVATE_FLAW }
  if (text === '') return { flaw: 'is empty: it must hold an extended public key (xpub…)' }
  if (/\s/.test(text)) return { flaw: 'must hold one extended public key (xpub…) and nothing else' }
  const bytes = decoded(text)
  if (bytes === null) {
    return { flaw: 'holds no extended public key (xpub…), or one with a typing error: its checksum is not right' }
  }
  if (bytes.length !== LENGTH_BYTES) return { flaw: 'holds no extended public key (xpub…): its length is not right' }
  // Whatever the version says: 0 in front of the key means private.
  if (bytes[KEY_AT] === 0) return { flaw: PRIVATE_FLAW }
  if (new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) !== VERSION) {
    const prefix = text.slice(0, PREFIX_CHARACTERS)
    return { flaw: `holds a key that begins with ${prefix}, for another coin or a test network: export it as xpub` }
  }
  return chainOf(text)
}

function decoded(text: string): Uint8Array | null {
  try {
    return base58check.decode(text)
  } catch {
    // The package reports text that is not Base58, or has a wrong checksum, only by throwing.
    return null
  }
}

function chainOf(text: string): AddressChain | { readonly flaw: string } {
  let key: HDKey
  try {
    key = HDKey.fromExtendedKey(text)
  } catch {
    // What is left to be wrong: a point off the curve, or a root that says it has a parent.
    return { flaw: 'holds no extended public key (xpub…): there is no such key on the curve' }
  }
  switch (key.depth) {
    case ACCOUNT_DEPTH:
      if (key.index < HARDENED_OFFSET) break
      return addressesOf(key.deriveChild(EXTERNAL_CHAIN))
    case CHAIN_DEPTH:
      return addressesOf(key)
  }
  return {
    flaw: `holds an extended public key of depth ${key.depth} that is neither an account (m/44'/60'/0', depth 3) nor the chain of its addresses (m/44'/60'/0'/0, depth 4): export one of these`,
  }
}

function addressesOf(chain: HDKey): AddressChain {
  const { chainCode, publicKey } = chain
  if (chainCode === null || publicKey === null) throw new Error('an extended key has a chain code and a public key')
  const digest = createHash('sha256').update(chainCode).update(publicKey).digest('hex')
  return { name: digest.slice(0, NAME_DIGITS), keyAt: (index) => uncompressed(chain.deriveChild(index)) }
}

function uncompressed({ publicKey }: HDKey): Uint8Array {
  if (publicKey === null) throw new Error('an extended key has a public key')
  return noble.uncompress(publicKey)
}
