import { canonicalAddress, type Network } from '../../../domain/network.js'
import { flawOfWalletId, type Wallet } from '../../../domain/wallet.js'
import type { Commit, Reader } from '../commit/commit.js'
import {
  type AddressNo,
  isKey,
  NUMBER_BYTES,
  networkKey,
  numberKey,
  under,
  WIDE_BYTES,
  wideKey,
} from '../tables/keys.js'
import { integer, orNull, recordCodec, text } from '../tables/record-codec.js'
import { type WalletRow, walletCodec } from './wallet-row.js'

/** An address that received a deposit or belongs to a wallet; the wallet may become known later. */
export interface AddressRow {
  readonly no: AddressNo
  readonly walletId: string | null
}

export const addressCodec = recordCodec<AddressRow>('addresses', 1, { no: integer, walletId: orNull(text) })

export function findWallet(at: Reader, id: string): WalletRow | undefined {
  const known = at.caches?.wallets.get(id)
  if (known !== undefined) return known
  if (flawOfWalletId(id) !== null) return undefined
  const bytes = at.tables.wallets.getBinaryFast(Buffer.from(id))
  if (bytes === undefined) return undefined
  if (at.caches === null) return at.memos.wallets.decode(id, bytes)
  const row = walletCodec.decode(bytes)
  at.caches.wallets.set(id, row)
  return row
}

export function walletAt(at: Reader, network: Network, address: string): WalletRow | undefined {
  const walletId = findAddress(at, network, address)?.walletId ?? null
  return walletId === null ? undefined : findWallet(at, walletId)
}

/** Whether an address is that of a wallet. */
export function isOfWallet(at: Reader, network: Network, address: string): boolean {
  return (findAddress(at, network, address)?.walletId ?? null) !== null
}

/** Writes a wallet, and moves it to its place in the lists. `known` is the row as it was. */
export function saveWallet(commit: Commit, row: WalletRow, known: WalletRow | undefined): void {
  commit.tables.wallets.putSync(Buffer.from(row.id), walletCodec.encode(row))
  // Rows in the cache are all made by the codec: the engine reads objects of one shape much faster.
  commit.caches.wallets.delete(row.id)
  if (row.address !== known?.address) commit.changed(row.id)
  const before = known === undefined ? null : listingOf(commit, known)
  if (before !== null) before.table.removeSync(before.key)
  const listing = listingOf(commit, row)
  if (listing !== null) listing.table.putSync(listing.key, Buffer.from(row.id))
}

/** Where a wallet is listed: with its owner, or in the pool, in which the end of a lease decides what is claimed next. */
function listingOf({ tables }: Commit, { no, network, ownerNo, assignmentNo, leasedUntil }: WalletRow) {
  if (ownerNo !== null && assignmentNo !== null) {
    return { table: tables.ownerWallets, key: under(ownerNo, numberKey(assignmentNo)) }
  }
  return network === null ? null : { table: tables.freeWallets, key: freeKey(network, leasedUntil, no) }
}

/** The network, the end of the lease and the number of a wallet in the pool. */
export function freeKey(network: Network, leasedUntil: number, walletNo: number): Buffer {
  return Buffer.concat([networkKey(network), wideKey(leasedUntil), numberKey(walletNo)])
}

export function findAddress(at: Reader, network: Network, address: string): AddressRow | undefined {
  const key = addressKey(network, address)
  const bytes = isKey(key) ? at.tables.addresses.getBinaryFast(key) : undefined
  return bytes === undefined ? undefined : addressCodec.decode(bytes)
}

/** The row of an address, made on first use. */
export function internAddress(commit: Commit, network: Network, address: string): AddressRow {
  const known = findAddress(commit, network, address)
  if (known !== undefined) return known
  const row: AddressRow = { no: commit.nextNo('address'), walletId: null }
  commit.tables.addresses.putSync(addressKey(network, address), addressCodec.encode(row))
  return row
}

/** Makes an address that of a wallet. Answers its number; null when the wallet has none. */
export function bindAddress(commit: Commit, { id, network, address }: Wallet): AddressNo | null {
  if (network === null || address === null) return null
  const row = internAddress(commit, network, address)
  if (row.walletId !== id) {
    commit.tables.addresses.putSync(addressKey(network, address), addressCodec.encode({ ...row, walletId: id }))
  }
  return row.no
}

/** When the lease ends of the wallet that a key of the pool is of. */
export function leaseEndOfKey(freeKey: Buffer): number {
  return freeKey.readUIntBE(freeKey.length - NUMBER_BYTES - WIDE_BYTES, WIDE_BYTES)
}

export function toWallet(row: WalletRow): Wallet {
  return { id: row.id, network: row.network, address: row.address, owner: row.owner, assignedAt: row.assignedAt }
}

export function addressKey(network: Network, address: string): Buffer {
  const canonical = Buffer.from(canonicalAddress(address))
  return Buffer.concat([networkKey(network), canonical])
}
