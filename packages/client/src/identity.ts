import { sha256 } from '@noble/hashes/sha2.js'
import { generateMnemonic, mnemonicToSeed, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { toHex, utf8 } from './bytes.js'
import { derivedKey } from './derivation.js'
import { keySigner, type Signer } from './signer.js'

/** Where the key of an identity is below the seed of its phrase (BIP-44, as most libraries derive a key of secp256k1 by default). */
export const IDENTITY_PATH = "m/44'/60'/0'/0/0"

export interface PhraseOptions {
  /** Default: `IDENTITY_PATH`. */
  readonly path?: string | undefined
}

/**
 * A new recovery phrase: twelve English words, of 128 random bits (BIP-39). They are the identity, and nobody can restore them.
 *
 * @example
 * ```js
 * import { newPhrase } from '@billhook/client'
 *
 * console.log(newPhrase().split(' ').length) // 12
 * ```
 */
export function newPhrase(): string {
  return generateMnemonic(wordlist)
}

/**
 * The key of an identity from its recovery phrase: BIP-39 without a passphrase, then BIP-32 along `path`. Case and the number of blanks
 * do not matter. Throws a `TypeError` for words that are no phrase, without repeating them.
 *
 * @example
 * ```js
 * import { identityFromPhrase, newPhrase } from '@billhook/client'
 *
 * const phrase = newPhrase() // Keep it on paper, away from the web server.
 * const shop = await identityFromPhrase(phrase)
 * console.log(shop.publicKey.length) // 66
 * ```
 */
export async function identityFromPhrase(words: string, options: PhraseOptions = {}): Promise<Signer> {
  return keySigner(await privateKeyFromPhrase(words, options))
}

/**
 * The private key of the same identity, 32 bytes, for whoever keeps it by other means than the words. Throws as `identityFromPhrase` does.
 *
 * @example
 * ```js
 * import { identityFromPhrase, keySigner, newPhrase, privateKeyFromPhrase } from '@billhook/client'
 *
 * const phrase = newPhrase()
 * const { publicKey } = keySigner(await privateKeyFromPhrase(phrase))
 * console.log(publicKey === (await identityFromPhrase(phrase)).publicKey) // true
 * ```
 */
export async function privateKeyFromPhrase(
  words: string,
  { path = IDENTITY_PATH }: PhraseOptions = {},
): Promise<Uint8Array> {
  const phrase = words.trim().toLowerCase().split(/\s+/).join(' ')
  if (!validateMnemonic(phrase, wordlist)) {
    throw new TypeError('these words are no recovery phrase: a word is misspelt, missing or in the wrong place')
  }
  return derivedKey(await mnemonicToSeed(phrase), path)
}

/**
 * The id that onboarding gives to the identity of a compressed public key in hex (specification, Ledger steps).
 *
 * @example
 * ```js
 * import { identityId } from '@billhook/client'
 *
 * console.log(identityId(identity.publicKey, ledger.onboardingName) === owner) // true
 * ```
 */
export function identityId(publicKey: string, onboardingName: string): string {
  return toHex(sha256(utf8(ledgerKey(publicKey) + onboardingName)))
}

/** A public key as ledger nodes take it and identities are made from: with `0x`. */
export function ledgerKey(publicKey: string): string {
  return `0x${publicKey.replace(/^0x/i, '').toLowerCase()}`
}
