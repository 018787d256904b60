import { canonicalAddress, type Network } from '../../../domain/network.js'
import type { Wallet } from '../../../domain/wallet.js'
import { type Fragment, sql } from '../connection/sql.js'
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

/** An address of a network, as it was reported. */
export interface Place {
  readonly network: Network
  readonly toAddress: string
}

/** Names a place. No network has a comma. */
export function placeNameOf({ network, toAddress }: Place): string {
  return `${network},${canonicalAddress(network, toAddress)}`
}

/** Locks addresses, and the wallets that they belong to, in order: what several deposits need. Unknown ones are entered. */
export function lockAddresses(work: Work, places: readonly Place[]): void {
  const wanted = asked(places)
  if (wanted === null) return
  work.write(sql`
    INSERT INTO addresses (network, address) SELECT asked.network, asked.address FROM ${wanted}
    ORDER BY asked.network, asked.address ON CONFLICT DO NOTHING`)
  const ours = sql`addresses AS a JOIN ${wanted} ON a.network = asked.network AND a.address = asked.address`
  work.lock(sql`SELECT a.id FROM ${ours} ORDER BY a.network, a.address FOR UPDATE OF a`)
  work.lock(sql`
    SELECT w.id FROM wallets AS w WHERE w.id IN (SELECT a.wallet_id FROM ${ours}) ORDER BY w.id FOR UPDATE`)
}

/** Reads addresses that are locked, by the names of their places. */
export async function readAddresses(work: Work, places: readonly Place[]): Promise<ReadonlyMap<string, AddressRow>> {
  const wanted = asked(places)
  if (wanted === null) return new Map()
  const rows = await work.rows<AddressColumns>(sql`
    SELECT a.network || ',' || a.address AS place, a.id AS own_id, ${WALLET_COLUMNS}
    FROM addresses AS a JOIN ${wanted} ON a.network = asked.network AND a.address = asked.address
    LEFT JOIN wallets AS w ON w.id = a.wallet_id`)
  return new Map(rows.map((row) => [row.place, { id: row.own_id, wallet: isWallet(row) ? toWalletRow(row) : null }]))
}

type AddressColumns = { readonly place: string; readonly own_id: number } & (WalletColumns | { readonly id: null })

function isWallet(row: AddressColumns): row is AddressColumns & WalletColumns {
  return row.id !== null
}

/** The places as `asked (network, address)`, each once; null for none. */
export function asked(places: readonly Place[]): Fragment | null {
  const byName = new Map(places.map((place) => [placeNameOf(place), place]))
  if (byName.size === 0) return null
  const all = [...byName.values()]
  return sql`unnest(${all.map(({ network }) => network)}::text[],
    ${all.map(({ network, toAddress }) => canonicalAddress(network, toAddress))}::text[]) AS asked (network, address)`
}

/** Locks an address and its wallet, and reads them. */
export async function lockAddress(work: Work, place: Place): Promise<AddressRow> {
  lockAddresses(work, [place])
  const row = (await readAddresses(work, [place])).get(placeNameOf(place))
  if (row === undefined) throw new Error('an address that was entered is not there')
  return row
}
