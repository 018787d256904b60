import type { Network } from '../../../domain/network.js'
import type { ClaimedWallet, Wallet } from '../../../domain/wallet.js'
import type { Page, PageOf, WalletPort } from '../../store.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { pageOfOwner } from '../identities/owner-lists.js'
import { NUMBER_BYTES } from '../tables/keys.js'
import { claimWallet, countClaimable, countUnassigned } from './wallet-pool.js'
import { findWallet, toWallet, walletAt } from './wallets.js'

/** Wallets, their addresses and owners. */
export class LmdbWallets implements WalletPort {
  constructor(private readonly commits: CommitLoop) {}

  find(id: string): Wallet | undefined {
    const row = findWallet(this.commits.snapshot, id)
    return row === undefined ? undefined : toWallet(row)
  }

  at(network: Network, address: string): Wallet | undefined {
    const row = walletAt(this.commits.snapshot, network, address)
    return row === undefined ? undefined : toWallet(row)
  }

  /** Cursors are numbers of assignments. */
  page(owner: string, page: Page): PageOf<Wallet> {
    const { snapshot } = this.commits
    const { ownerWallets } = snapshot.tables
    return pageOfOwner(snapshot, ownerWallets, NUMBER_BYTES, owner, page, (key) => {
      const row = findWallet(snapshot, ownerWallets.get(key)?.toString() ?? '')
      if (row === undefined) throw new Error('the list of wallets names one that is not there')
      return toWallet(row)
    })
  }

  claim(network: Network, leaseMs: number): Promise<ClaimedWallet | null> {
    return this.commits.run((commit) => claimWallet(commit, network, leaseMs))
  }

  countUnassigned(network: Network): number {
    return countUnassigned(this.commits.snapshot, network)
  }

  countClaimable(network: Network, limit: number): number {
    return countClaimable(this.commits.snapshot, network, limit)
  }
}
