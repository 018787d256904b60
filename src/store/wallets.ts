import type { Network } from '../domain/network.js'
import type { ClaimedWallet, Wallet } from '../domain/wallet.js'
import type { Awaitable, Page, PageOf } from './reads.js'

/** Wallets, and the pool of those without an owner. Facts about wallets come in through `LedgerPort`. */
export interface WalletPort {
  find(id: string): Awaitable<Wallet | undefined>
  /** The wallet at an address, if one is known. */
  at(network: Network, address: string): Awaitable<Wallet | undefined>
  /** The wallets of an owner, latest assignment first. */
  page(owner: string, page: Page): Awaitable<PageOf<Wallet>>
  /** Hands out an unassigned wallet for `leaseMs`; null when none is free. */
  claim(network: Network, leaseMs: number): Promise<ClaimedWallet | null>
  countUnassigned(network: Network): Awaitable<number>
  /** How many wallets of the network can be claimed now; counts no further than `limit`. */
  countClaimable(network: Network, limit: number): Awaitable<number>
}
