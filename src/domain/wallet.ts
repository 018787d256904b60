import type { WalletFact } from './ledger-fact.js'
import { ADDRESS_LENGTH_MAX, canonicalAddress, type Network } from './network.js'
import { OWNER_FLAW, parseOwner } from './text.js'

const WALLET_ID_LENGTH_MAX = 128

/** A wallet as the service knows it. `address` and `network` are null until the gateway reports them. */
export interface Wallet {
  /** Wallet stream id. */
  readonly id: string
  readonly network: Network | null
  /** As the gateway spells it. */
  readonly address: string | null
  /** Identity stream id of the present owner. */
  readonly owner: string | null
  /** Unix milliseconds. */
  readonly assignedAt: number | null
}

/** A claimed wallet (specification, Wallet). */
export interface ClaimedWallet {
  readonly id: string
  readonly address: string
}

/** Why an address is invalid on a network, as text; null if it is valid. */
export type FlawOfAddress = (network: Network, address: string) => string | null

/** Why a wallet id is invalid, as text; null if it is valid. The comma separates ids in `wallet_ids`. */
export function flawOfWalletId(id: string): string | null {
  return id === '' || id.length > WALLET_ID_LENGTH_MAX || id.includes(',')
    ? 'a wallet id must have 1 to 128 characters and no comma'
    : null
}

/** The decision about a fact: the wallet to store, null if nothing is new, or why the fact is rejected. */
export type WalletDecision = { readonly wallet: Wallet | null } | { readonly error: string }

/**
 * Decides a fact about a wallet. `known` is the wallet of that id, `addressHolder` the id of the wallet that has the
 * fact's address, if any. An address belongs to one wallet and a wallet has one address, for ever; otherwise a deposit
 * would count twice, or for another owner. So only a new address is checked.
 */
export function decideWalletFact(
  fact: WalletFact,
  known: Wallet | null,
  addressHolder: string | null,
  nowMs: number,
  flawOfAddress: FlawOfAddress,
): WalletDecision {
  const flaw = flawOfWalletId(fact.id)
  if (flaw !== null) return { error: flaw }
  if ((fact.address === null) !== (fact.network === null)) return { error: 'address and network go together' }
  if (fact.address !== null && (fact.address === '' || fact.address.length > ADDRESS_LENGTH_MAX)) {
    return { error: 'an address must have 1 to 128 characters' }
  }
  if (fact.type === 'wallet.assigned' && parseOwner(fact.owner) !== fact.owner) {
    return { error: OWNER_FLAW }
  }
  if (fact.type === 'wallet.assigned' && fact.keepsOwner === true && (known?.owner ?? fact.owner) !== fact.owner) {
    return { error: 'the wallet belongs to another identity' }
  }
  if (addressHolder !== null && addressHolder !== fact.id) return { error: 'the address belongs to another wallet' }
  if (known?.network != null && fact.network !== null && !isSamePlace(known, fact)) {
    return { error: 'the wallet has another address' }
  }
  if (known?.network == null && fact.network !== null && fact.address !== null) {
    const addressFlaw = flawOfAddress(fact.network, fact.address)
    if (addressFlaw !== null) return { error: addressFlaw }
  }
  const network = known?.network ?? fact.network
  const owner = fact.type === 'wallet.assigned' ? fact.owner : (known?.owner ?? null)
  const isSameOwner = owner === (known?.owner ?? null)
  if (known !== null && isSameOwner && known.network === network) return { wallet: null }
  const assignedAt = isSameOwner ? (known?.assignedAt ?? null) : nowMs
  return { wallet: { id: fact.id, network, address: known?.address ?? fact.address, owner, assignedAt } }
}

function isSamePlace(known: Wallet, { network, address }: Pick<Wallet, 'network' | 'address'>): boolean {
  if (network === null || network !== known.network || address === null || known.address === null) return false
  return canonicalAddress(known.address) === canonicalAddress(address)
}
