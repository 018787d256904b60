import type { LedgerFact, WalletFact } from '../../../src/domain/ledger-fact.js'
import type { Network } from '../../../src/domain/network.js'
import type { Wallet } from '../../../src/domain/wallet.js'
import type { WithdrawalFact } from '../../../src/domain/withdrawal.js'
import { kindOf } from '../networks.js'

export type EventStatus = 'applied' | 'duplicate' | 'rejected'

interface ModelWallet {
  id: string
  network: Network | null
  address: string | null
  owner: string | null
  assignedAt: number | null
  leasedUntil: number
  /** The ledger's date of the last withdrawal, its transaction, and whether it was not taken back. */
  withdrawnMs: number | null
  withdrawnBy: string | null
  isWithdrawn: boolean
}

/** Wallets, identities and ids of events (decisions 8), in lists. */
export class ModelWallets {
  private readonly wallets: ModelWallet[] = []
  /** Wallet ids in the order in which they got their present owner. */
  private assignments: string[] = []
  private readonly identities = new Set<string>()
  private readonly pushedKeys = new Map<string, readonly string[]>()

  find(id: string): Wallet | undefined {
    const found = this.row(id)
    return found === undefined ? undefined : shown(found)
  }

  /** An address names at most one wallet. */
  at(network: Network, address: string): Wallet | undefined {
    const found = this.wallets.find(
      (one) => one.network === network && one.address !== null && isSameAddress(network, one.address, address),
    )
    return found === undefined ? undefined : shown(found)
  }

  /** Latest assignment first. */
  of(owner: string): readonly Wallet[] {
    return this.assignments
      .map((id) => this.row(id))
      .filter((one) => one !== undefined)
      .filter((one) => one.owner === owner)
      .map(shown)
      .reverse()
  }

  all(): readonly Wallet[] {
    return this.wallets.map(shown)
  }

  isOwnedBy(walletId: string, owner: string): boolean {
    return this.row(walletId)?.owner === owner
  }

  /** Whether the owner may be paid there: a wallet without an address takes nothing (decisions 8). */
  isPayable(walletId: string, owner: string): boolean {
    const row = this.row(walletId)
    return row?.owner === owner && row.address !== null
  }

  isIdentityKnown(owner: string): boolean {
    return this.identities.has(owner)
  }

  rememberIdentity(owner: string): void {
    this.identities.add(owner)
  }

  unassigned(network: Network): number {
    return this.wallets.filter((one) => one.network === network && one.owner === null && !one.isWithdrawn).length
  }

  /** Ids that may be handed out now: those whose lease ended first, since the longest free one goes first. */
  claimable(network: Network, nowMs: number): readonly string[] {
    const free = this.wallets.filter(
      (one) =>
        one.network === network &&
        one.address !== null &&
        one.owner === null &&
        !one.isWithdrawn &&
        one.leasedUntil <= nowMs,
    )
    const earliest = Math.min(...free.map(({ leasedUntil }) => leasedUntil))
    return free.filter(({ leasedUntil }) => leasedUntil === earliest).map(({ id }) => id)
  }

  lease(id: string, untilMs: number): void {
    const row = this.row(id)
    if (row !== undefined) row.leasedUntil = untilMs
  }

  apply(fact: LedgerFact, nowMs: number): EventStatus {
    if (fact.type === 'identity.onboarded') {
      if (fact.identity === '' || fact.identity.trim() !== fact.identity) return 'rejected'
      if (this.identities.has(fact.identity)) return 'duplicate'
      this.identities.add(fact.identity)
      return 'applied'
    }
    if (fact.type === 'identity.keys') {
      if (fact.identity === '' || fact.identity.trim() !== fact.identity) return 'rejected'
      const isSame = this.pushedKeys.get(fact.identity)?.join() === fact.keys.join()
      if (isSame && this.identities.has(fact.identity)) return 'duplicate'
      this.identities.add(fact.identity)
      this.pushedKeys.set(fact.identity, fact.keys)
      return 'applied'
    }
    if (fact.type === 'wallet.withdrawn') return this.withdraw(fact)
    if (this.isRefused(fact)) return 'rejected'
    const known = this.row(fact.id)
    const owner = fact.type === 'wallet.assigned' ? fact.owner : (known?.owner ?? null)
    const isNewPlace = known === undefined || (known.network === null && fact.network !== null)
    const isNewOwner = owner !== (known?.owner ?? null)
    if (known !== undefined && !isNewPlace && !isNewOwner) return 'duplicate'
    const row = known ?? this.add(fact.id)
    row.network ??= fact.network
    row.address ??= fact.address
    if (isNewOwner && owner !== null) {
      row.owner = owner
      row.assignedAt = nowMs
      this.assignments = [...this.assignments.filter((id) => id !== fact.id), fact.id]
    }
    if (owner !== null) this.identities.add(owner)
    return 'applied'
  }

  /** Ids of 1 to 128 characters without a comma; place complete or absent; one address one wallet, for ever. */
  private isRefused(fact: WalletFact): boolean {
    if (fact.id === '' || fact.id.length > 128 || fact.id.includes(',')) return true
    if ((fact.address === null) !== (fact.network === null)) return true
    if (fact.type === 'wallet.assigned' && (fact.owner === '' || fact.owner.trim() !== fact.owner)) return true
    if (fact.network === null || fact.address === null) return false
    if (fact.address === '') return true
    const holder = this.at(fact.network, fact.address)
    if (holder !== undefined && holder.id !== fact.id) return true
    const known = this.row(fact.id)
    if (known === undefined || known.network === null || known.address === null) return false
    return known.network !== fact.network || !isSameAddress(fact.network, known.address, fact.address)
  }

  /** A wallet without an owner is out of the pool from the first other transaction on that is later than the last one. */
  private withdraw({ id, umid, ledgerMs, mayBeUnknown }: WithdrawalFact): EventStatus {
    const known = this.row(id)
    if (known === undefined && !mayBeUnknown) return 'duplicate'
    if (known !== undefined && known.owner !== null) return 'duplicate'
    const row = known ?? this.add(id)
    if (row.withdrawnMs !== null && (umid === row.withdrawnBy || ledgerMs <= row.withdrawnMs)) return 'duplicate'
    row.withdrawnMs = ledgerMs
    row.withdrawnBy = umid
    row.isWithdrawn = true
    return 'applied'
  }

  private add(id: string): ModelWallet {
    const row: ModelWallet = {
      id,
      network: null,
      address: null,
      owner: null,
      assignedAt: null,
      leasedUntil: 0,
      withdrawnMs: null,
      withdrawnBy: null,
      isWithdrawn: false,
    }
    this.wallets.push(row)
    return row
  }

  private row(id: string): ModelWallet | undefined {
    return this.wallets.find((one) => one.id === id)
  }
}

/** EVM addresses compare without regard to case, TRON ones exactly (decisions 5). */
function isSameAddress(network: Network, one: string, other: string): boolean {
  return kindOf(network) === 'evm' ? one.toLowerCase() === other.toLowerCase() : one === other
}

function shown({ id, network, address, owner, assignedAt }: ModelWallet): Wallet {
  return { id, network, address, owner, assignedAt }
}
