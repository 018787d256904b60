import type { Outcome } from '../domain/failure.js'
import type { Network } from '../domain/network.js'
import type { ClaimedWallet, Wallet } from '../domain/wallet.js'
import type { WithdrawnWallet } from '../domain/withdrawal.js'
import type { Awaitable, Page, PageOf } from './reading.js'

/** Wallets, and the pool of those without an owner. Facts about wallets come in through `LedgerPort`. */
export interface WalletPort {
  find(id: string): Awaitable<Wallet | undefined>
  /** The wallet at an address, if one is known. */
  at(network: Network, address: string): Awaitable<Wallet | undefined>
  /** The wallets of an owner, latest assignment first. */
  page(owner: string, page: Page): Awaitable<PageOf<Wallet>>
  /** The highest index of the wallets whose ids begin with a prefix (`derivedPrefix`); null when there is none. */
  lastDerived(prefix: string): Awaitable<number | null>
  /** Hands out an unassigned wallet for `leaseMs`; null when none is free. */
  claim(network: Network, leaseMs: number): Promise<ClaimedWallet | null>
  countUnassigned(network: Network): Awaitable<number>
  /** The wallets that `countUnassigned` counts, those first that are claimed first. Cursors are opaque. */
  unassigned(network: Network, page: Page): Awaitable<PageOf<Wallet>>
  /** Wallets of the network that were withdrawn from the pool: they are not counted as unassigned, and never handed out. */
  countWithdrawn(network: Network): Awaitable<number>
  /** The withdrawn wallets of all networks, also those that have not been told yet. */
  withdrawn(page: Page): Awaitable<PageOf<WithdrawnWallet>>
  /**
   * Puts a withdrawn wallet back into the pool, in which it can be claimed when `leaseMs` have passed since it was withdrawn.
   * Refuses with `not_found` when none of the id is withdrawn.
   */
  putBack(id: string, leaseMs: number, trace?: string): Promise<Outcome<Wallet>>
  /** How many wallets of the network can be claimed now; counts no further than `limit`. */
  countClaimable(network: Network, limit: number): Awaitable<number>
}
