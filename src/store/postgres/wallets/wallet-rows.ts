import { canonicalAddress, type Network } from '../../../domain/network.js'
import type { Wallet } from '../../../domain/wallet.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/** A wallet with what only the store knows of it. */
export interface WalletRow extends Wallet {
  readonly no: number
  readonly addressId: number | null
  /** Orders the wallets of an owner by when they were assigned. */
  readonly assignmentNo: number | null
}

export interface WalletColumns {
  readonly id: string
  readonly no: number
  readonly network: Network | null
  readonly address: string | null
  readonly address_id: number | null
  readonly owner: string | null
  readonly assigned_at: number | null
  readonly assignment_no: number | null
}

export const WALLET_COLUMNS = sql`w.id, w.no, w.network, w.address, w.address_id, w.owner, w.assigned_at, w.assignment_no`

export function toWalletRow(columns: WalletColumns): WalletRow {
  const { no, address_id: addressId, assignment_no: assignmentNo } = columns
  return { ...toWallet(columns), no, addressId, assignmentNo }
}

export function toWallet({ id, network, address, owner, assigned_at }: WalletColumns): Wallet {
  return { id, network, address, owner, assignedAt: assigned_at }
}

/** An address that received a deposit or belongs to a wallet, with that wallet. The wallet may become known later. */
export interface AddressRow {
  readonly id: number
  readonly wallet: WalletRow | null
}

/** Locks an address and its wallet, and reads them. The address is entered if it was not known. */
export async function lockAddress(work: Work, network: Network, address: string): Promise<AddressRow> {
  const canonical = canonicalAddress(network, address)
  const named = sql`a.network = ${network} AND a.address = ${canonical}`
  work.write(sql`INSERT INTO addresses (network, address) VALUES (${network}, ${canonical}) ON CONFLICT DO NOTHING`)
  const row = work.row<{ readonly id: number; readonly wallet_id: string | null }>(
    sql`SELECT a.id, a.wallet_id FROM addresses AS a WHERE ${named} FOR UPDATE`,
  )
  const wallet = work.row<WalletColumns>(sql`
    SELECT ${WALLET_COLUMNS} FROM wallets AS w WHERE w.id = (SELECT a.wallet_id FROM addresses AS a WHERE ${named}) FOR UPDATE`)
  const found = await row
  if (found === undefined) throw new Error('an address that was entered is not there')
  const columns = await wallet
  return { id: found.id, wallet: columns === undefined ? null : toWalletRow(columns) }
}

/** Locks addresses, and the wallets that they belong to, in order: what several deposits need. */
export async function lockAddresses(work: Work, network: Network, addresses: readonly string[]): Promise<void> {
  const canonical = [...new Set(addresses.map((address) => canonicalAddress(network, address)))].sort()
  if (canonical.length === 0) return
  work.write(sql`
    INSERT INTO addresses (network, address) SELECT ${network}, address FROM unnest(${canonical}::text[]) AS a (address)
    ORDER BY address ON CONFLICT DO NOTHING`)
  const ours = sql`a.network = ${network} AND a.address = ANY(${canonical}::text[])`
  work.lock(sql`SELECT a.id FROM addresses AS a WHERE ${ours} ORDER BY a.address FOR UPDATE`)
  work.lock(sql`
    SELECT w.id FROM wallets AS w WHERE w.id IN (SELECT a.wallet_id FROM addresses AS a WHERE ${ours}) ORDER BY w.id FOR UPDATE`)
}
