import type { Network, NetworkKind } from './network.js'

/*
 * Wallets at the addresses of an extended public key (BIP-32). Their ids name the key, the network and the index, so the
 * wallets themselves say how far a key has been used, and nothing else has to be kept.
 */

/** The highest index of an address: children from 2³¹ on are hardened, and take the private key (BIP-32). */
export const DERIVED_INDEX_MAX = 2 ** 31 - 1
/** Maximum number of addresses that are derived at once. */
export const DERIVED_COUNT_MAX = 1000

/** `DERIVED_INDEX_MAX` has as many, so that ids sort by their index. */
const INDEX_DIGITS = 10
const INDEX = /^[0-9]{10}$/
const KEY_NAME = /^[0-9a-f]{16}$/

/** Whether a text is what ids call an extended public key: 16 hex digits of a digest of it. */
export function isKeyName(text: string): boolean {
  return KEY_NAME.test(text)
}

/** What the ids of the wallets of a key on a network begin with. */
export function derivedPrefix(keyName: string, network: Network): string {
  return `xpub-${keyName}-${network}-`
}

export function derivedWalletId(prefix: string, index: number): string {
  return `${prefix}${String(index).padStart(INDEX_DIGITS, '0')}`
}

/** The lowest and the highest id that wallets with a prefix may have, of one length. */
export function derivedIdRange(prefix: string): { readonly low: string; readonly high: string } {
  return { low: `${prefix}${'0'.repeat(INDEX_DIGITS)}`, high: `${prefix}${'9'.repeat(INDEX_DIGITS)}` }
}

/** The index in an id with a prefix; null when it is no such id. */
export function indexOfDerived(prefix: string, id: string): number | null {
  const digits = id.startsWith(prefix) ? id.slice(prefix.length) : ''
  return INDEX.test(digits) ? Number(digits) : null
}

/** A network, and the index behind the last one that a key has a wallet for on it. */
export interface DerivedSeries {
  readonly network: Network
  readonly kind: NetworkKind
  readonly next: number
}

/** The same, as an operator is told. */
export interface ToldSeries extends DerivedSeries {
  /** Whether somebody tells the service of deposits of the network; null when no service runs, whose settings would say. */
  readonly isReported: boolean | null
}

/** Addresses of a key from an index on, to become wallets of an owner. */
export interface DerivedWallets {
  readonly keyName: string
  readonly network: Network
  readonly owner: string
  readonly first: number
  readonly addresses: readonly string[]
}

/** What became of an address. `known`: it is a wallet of the owner already. */
export type DerivedOutcome =
  | { readonly status: 'added' | 'known' }
  | { readonly status: 'refused'; readonly error: string }
