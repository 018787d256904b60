import { derivedIdRange, indexOfDerived } from '../../../domain/derived-wallet.js'
import type { Outcome } from '../../../domain/failure.js'
import type { Network } from '../../../domain/network.js'
import type { ClaimedWallet, Wallet } from '../../../domain/wallet.js'
import { WITHDRAWN_UNTIL, type WithdrawnWallet } from '../../../domain/withdrawal.js'
import type { Page, PageOf } from '../../reading.js'
import { answeredNow } from '../../rules/asking.js'
import { claimWallet, putWalletBack } from '../../rules/wallet-pool.js'
import type { WalletPort } from '../../wallets.js'
import { tracedIn } from '../audit-rows.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { pageOfOwner } from '../identities/owner-lists.js'
import { NUMBER_BYTES, networkKey } from '../tables/keys.js'
import { poolWorkOn } from './pool-work.js'
import { findWallet, freeKey, toWallet, walletAt } from './wallets.js'
import { countWithdrawn, withdrawnPage } from './withdrawals.js'

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

  lastDerived(prefix: string): number | null {
    const { low, high } = derivedIdRange(prefix)
    const range = { start: Buffer.from(high), end: Buffer.from(low), inclusiveEnd: true, reverse: true }
    for (const key of this.commits.snapshot.tables.wallets.getKeys(range)) {
      const index = indexOfDerived(prefix, key.toString())
      if (index !== null) return index
    }
    return null
  }

  claim(network: Network, leaseMs: number): Promise<ClaimedWallet | null> {
    return this.commits.run((commit) => answeredNow(claimWallet(poolWorkOn(commit), network, leaseMs)))
  }

  countUnassigned(network: Network): number {
    return this.commits.snapshot.tables.freeWallets.getKeysCount(unassignedRange(network))
  }

  /** Cursors are keys of the pool in hex. */
  unassigned(network: Network, { after, limit }: Page): PageOf<Wallet> {
    const { snapshot } = this.commits
    const range = { ...unassignedRange(network), ...(after === null ? {} : behind(Buffer.from(after, 'hex'))) }
    const rows = [...snapshot.tables.freeWallets.getRange({ ...range, limit: limit + 1 })]
    const page = rows.slice(0, limit)
    const items = page.map(({ value }) => {
      const row = findWallet(snapshot, value.toString())
      if (row === undefined) throw new Error('the pool of wallets names one that is not there')
      return toWallet(row)
    })
    return { items, next: rows.length > limit ? (page.at(-1)?.key.toString('hex') ?? null) : null }
  }

  countWithdrawn(network: Network): number {
    return countWithdrawn(this.commits.snapshot, network)
  }

  withdrawn(page: Page): PageOf<WithdrawnWallet> {
    return withdrawnPage(this.commits.snapshot, page)
  }

  putBack(id: string, leaseMs: number, trace?: string): Promise<Outcome<Wallet>> {
    return this.commits.run((commit) => {
      const putBack = putWalletBack(poolWorkOn(commit), id, leaseMs)
      return tracedIn(commit, trace, putBack)
    })
  }

  countClaimable(network: Network, limit: number): number {
    const { nowMs, tables } = this.commits.snapshot
    const range = { start: networkKey(network), end: freeKey(network, nowMs + 1, 0), limit }
    return [...tables.freeWallets.getKeys(range)].length
  }
}

/** The keys of the wallets of a network that are in the pool; those that were withdrawn are behind them. */
function unassignedRange(network: Network) {
  return { start: networkKey(network), end: freeKey(network, WITHDRAWN_UNTIL, 0) }
}

function behind(key: Buffer) {
  return { start: key, exclusiveStart: true }
}
