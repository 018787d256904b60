import { NETWORKS, type Network } from '../../../domain/network.js'
import type { ClaimedWallet } from '../../../domain/wallet.js'
import type { Commit, Reader } from '../commit/commit-loop.js'
import { endOf, NUMBER_BYTES, networkKey, numberKey, TIME_MAX, under, WIDE_BYTES } from '../tables/keys.js'
import { firstKey } from '../tables/tables.js'
import { findWallet, saveWallet, type WalletRow } from './wallets.js'

/*
 * The wallets without an owner, in the order of the ends of their leases: what can be claimed stands first.
 */

const KEY_BYTES = 1 + WIDE_BYTES + NUMBER_BYTES

/** Hands out the wallet that has been free the longest. */
export function claimWallet(commit: Commit, network: Network, leaseMs: number): ClaimedWallet | null {
  const { freeWallets } = commit.tables
  const prefix = networkKey(network)
  const key = firstKey(freeWallets, prefix, endOf(prefix, KEY_BYTES))
  if (key === undefined || key.readUIntBE(1, WIDE_BYTES) > commit.nowMs) return null
  const row = findWallet(commit, freeWallets.get(key)?.toString() ?? '')
  if (row === undefined || row.address === null) throw new Error('the pool of wallets names one that is not there')
  const leased = { ...row, leasedUntil: Math.min(commit.nowMs + leaseMs, TIME_MAX) }
  unlist(commit, row)
  list(commit, leased)
  saveWallet(commit, leased)
  return { id: row.id, address: row.address }
}

export function countUnassigned({ tables }: Reader, network: Network): number {
  const prefix = networkKey(network)
  return tables.freeWallets.getKeysCount({ start: prefix, end: endOf(prefix, KEY_BYTES) })
}

export function countClaimable({ tables, nowMs }: Reader, network: Network, limit: number): number {
  const start = networkKey(network)
  return [...tables.freeWallets.getKeys({ start, end: freeKey(network, nowMs + 1, 0), limit })].length
}

/** Lists a wallet with its owner, or in the pool. */
export function list({ tables }: Commit, { id, no, network, ownerNo, assignmentNo, leasedUntil }: WalletRow): void {
  if (ownerNo !== null && assignmentNo !== null) {
    tables.ownerWallets.putSync(under(ownerNo, numberKey(assignmentNo)), Buffer.from(id))
  } else if (network !== null) {
    tables.freeWallets.putSync(freeKey(network, leasedUntil, no), Buffer.from(id))
  }
}

export function unlist({ tables }: Commit, { no, network, ownerNo, assignmentNo, leasedUntil }: WalletRow): void {
  if (ownerNo !== null && assignmentNo !== null) {
    tables.ownerWallets.removeSync(under(ownerNo, numberKey(assignmentNo)))
  } else if (network !== null) {
    tables.freeWallets.removeSync(freeKey(network, leasedUntil, no))
  }
}

function freeKey(network: Network, leasedUntil: number, walletNo: number): Buffer {
  const key = Buffer.allocUnsafe(KEY_BYTES)
  key[0] = NETWORKS.indexOf(network)
  key.writeUIntBE(leasedUntil, 1, WIDE_BYTES)
  key.writeUInt32BE(walletNo, 1 + WIDE_BYTES)
  return key
}
