import type { Network } from '../../../domain/network.js'
import type { Wallet } from '../../../domain/wallet.js'
import { WITHDRAWN_UNTIL, type Withdrawal } from '../../../domain/withdrawal.js'
import type { PoolWallet, PoolWork } from '../../rules/wallet-pool.js'
import type { Commit } from '../commit/commit-loop.js'
import { behindNetwork, networkKey } from '../tables/keys.js'
import { firstKey } from '../tables/tables.js'
import type { WalletRow } from './wallet-row.js'
import { findWallet, leaseEndOfKey, saveWallet, toWallet } from './wallets.js'
import { putWithdrawal, withdrawalOf } from './withdrawals.js'

/** What a commit does for the pool of wallets. */
export class LmdbPoolWork implements PoolWork {
  constructor(protected readonly commit: Commit) {}

  readClock(): number {
    return this.commit.nowMs
  }

  longestFree(network: Network, nowMs: number): Wallet | undefined {
    const { freeWallets } = this.commit.tables
    const key = firstKey(freeWallets, networkKey(network), behindNetwork(network))
    if (key === undefined || leaseEndOfKey(key) > nowMs) return undefined
    return toWallet(this.row(freeWallets.get(key)?.toString() ?? ''))
  }

  wallet(id: string): PoolWallet | undefined {
    const row = findWallet(this.commit, id)
    if (row === undefined) return undefined
    return { wallet: toWallet(row), leasedUntil: row.leasedUntil, withdrawal: withdrawalOf(this.commit, id) }
  }

  lease(id: string, endMs: number): void {
    const row = this.row(id)
    saveWallet(this.commit, { ...row, leasedUntil: endMs }, row)
  }

  withdraw(id: string, withdrawal: Withdrawal, isKnown: boolean): void {
    const known = isKnown ? this.row(id) : undefined
    saveWallet(this.commit, { ...(known ?? unknownWallet(this.commit, id)), leasedUntil: WITHDRAWN_UNTIL }, known)
    putWithdrawal(this.commit, id, withdrawal)
  }

  private row(id: string): WalletRow {
    const row = findWallet(this.commit, id)
    if (row === undefined) throw new Error('the pool of wallets names one that is not there')
    return row
  }
}

function unknownWallet(commit: Commit, id: string): WalletRow {
  const nothing = { network: null, address: null, addressNo: null, owner: null, ownerNo: null }
  const times = { assignedAt: null, assignmentNo: null, leasedUntil: 0 }
  return { id, no: commit.nextNo('wallet'), ...nothing, ...times }
}
