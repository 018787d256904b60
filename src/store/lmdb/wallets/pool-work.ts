import { WITHDRAWN_UNTIL } from '../../../domain/withdrawal.js'
import type { PoolWork } from '../../rules/wallet-pool.js'
import type { Commit } from '../commit/commit.js'
import { behindNetwork, networkKey } from '../tables/keys.js'
import { firstKey } from '../tables/tables.js'
import type { WalletRow } from './wallet-row.js'
import { findWallet, leaseEndOfKey, saveWallet, toWallet } from './wallets.js'
import { putWithdrawal, withdrawalOf } from './withdrawals.js'

/** What a commit does for the pool of wallets. */
export function poolWorkOn(commit: Commit): PoolWork {
  const rowOf = (id: string): WalletRow => {
    const row = findWallet(commit, id)
    if (row === undefined) throw new Error('the pool of wallets names one that is not there')
    return row
  }
  return {
    readClock: () => commit.nowMs,
    longestFree(network, nowMs) {
      const { freeWallets } = commit.tables
      const key = firstKey(freeWallets, networkKey(network), behindNetwork(network))
      if (key === undefined || leaseEndOfKey(key) > nowMs) return undefined
      return toWallet(rowOf(freeWallets.get(key)?.toString() ?? ''))
    },
    wallet(id) {
      const row = findWallet(commit, id)
      if (row === undefined) return undefined
      return { wallet: toWallet(row), leasedUntil: row.leasedUntil, withdrawal: withdrawalOf(commit, id) }
    },
    lease(id, endMs) {
      const row = rowOf(id)
      saveWallet(commit, { ...row, leasedUntil: endMs }, row)
    },
    withdraw(id, withdrawal, isKnown) {
      const known = isKnown ? rowOf(id) : undefined
      saveWallet(commit, { ...(known ?? unknownWallet(commit, id)), leasedUntil: WITHDRAWN_UNTIL }, known)
      putWithdrawal(commit, id, withdrawal)
    },
  }
}

function unknownWallet(commit: Commit, id: string): WalletRow {
  const nothing = { network: null, address: null, addressNo: null, owner: null, ownerNo: null }
  const times = { assignedAt: null, assignmentNo: null, leasedUntil: 0 }
  return { id, no: commit.nextNo('wallet'), ...nothing, ...times }
}
