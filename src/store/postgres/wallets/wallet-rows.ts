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
  return `${network},${canonicalAddress(toAddress)}`
}

/**
 * Locks addresses, the wallets that they belong to, and those that share an open invoice with one of these, in order: what several
 * deposits need. Unknown ones are entered.
 */
export function lockAddresses(work: Work, places: readonly Place[]): void {
  const wanted = asked(places)
  if (wanted === null) return
  // One that is there changes in nothing, but is locked all the same.
  work.write(sql`
    INSERT INTO addresses (network, address) SELECT asked.network, asked.address FROM ${wanted}
    ORDER BY asked.network, asked.address ON CONFLICT (network, address) DO UPDATE SET address = excluded.address WHERE false`)
  lockWithPartners(
    work,
    sql`SELECT a.wallet_id AS id FROM addresses AS a JOIN ${wanted} ON a.network = asked.network AND a.address = asked.address
      WHERE a.wallet_id IS NOT NULL`,
  )
}

/**
 * Locks wallets, which a query selects as `id`, and those that share an open invoice with one of them, in order. What a unit finds of
 * invoices on one wallet it also writes on their others. So units that deal with the same invoices wait for each other here, where
 * locks have an order, and not when each has some of the invoices that the other needs. Those are locked, too, that earlier tries of the
 * unit have needed.
 */
export function lockWithPartners(work: Work, wallets: Fragment): void {
  work.lockWallets(sql`
    WITH RECURSIVE ours AS (${wallets}),
    sets AS (
      SELECT ours.id AS wallet_id, first.owner, first.set_id, first.invoice_id FROM ours CROSS JOIN LATERAL (
        SELECT p.owner, p.set_id, p.invoice_id FROM open_places AS p WHERE p.wallet_id = ours.id
        ORDER BY p.owner, p.set_id LIMIT 1
      ) AS first
      UNION ALL
      SELECT sets.wallet_id, next.owner, next.set_id, next.invoice_id FROM sets CROSS JOIN LATERAL (
        SELECT p.owner, p.set_id, p.invoice_id FROM open_places AS p
        WHERE p.wallet_id = sets.wallet_id AND (p.owner, p.set_id) > (sets.owner, sets.set_id)
        ORDER BY p.owner, p.set_id LIMIT 1
      ) AS next
    )
    SELECT w.id FROM wallets AS w WHERE w.id IN (
      SELECT ours.id FROM ours
      UNION SELECT unnest(${work.wallets.needed}::text[])
      UNION SELECT unnest(i.wallet_ids) FROM sets JOIN invoices AS i ON i.id = sets.invoice_id
    ) ORDER BY w.id FOR UPDATE OF w`)
}

/** Locks those that earlier tries of a unit have needed, of one that locks no others. */
export function lockNeeded(work: Work): void {
  const { needed } = work.wallets
  if (needed.length === 0) return
  work.lockWallets(sql`SELECT w.id FROM wallets AS w WHERE w.id = ANY(${needed}::text[]) ORDER BY w.id FOR UPDATE OF w`)
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
    ${all.map(({ toAddress }) => canonicalAddress(toAddress))}::text[]) AS asked (network, address)`
}
