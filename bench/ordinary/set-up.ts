import type pg from 'pg'
import { parsePublicKeyHex } from '../../src/crypto/secp256k1.js'
import { depositValue, type Sighting } from '../../src/domain/deposit.js'
import { canonicalAddress, type Decimals, type Network } from '../../src/domain/network.js'
import { SCHEMA } from './schema.js'

/** USDT has six on both networks. */
const DECIMALS: Decimals = { SEP: { native: 18, USDT: 6 }, 'TRX-NILE': { native: 6, USDT: 6 } }

/** A key that may create invoices, unless it is said to be revoked, expired or without the permission. */
export interface RegisteredKey {
  readonly owner: string
  readonly publicKeyHex: string
  /** `invoices:create` when absent. */
  readonly permissions?: readonly string[]
  /** Unix milliseconds. */
  readonly expiresAt?: number
  /** Unix milliseconds. */
  readonly revokedAt?: number
}

export interface AssignedWallet {
  readonly id: string
  readonly owner: string
  readonly address: string
  readonly network: Network
}

/** What the tables hold before the first request. */
export interface SetUp {
  readonly signers: readonly RegisteredKey[]
  readonly wallets: readonly AssignedWallet[]
  /** All deposits. The stack has no way to receive others. */
  readonly deposits?: readonly (Sighting & { readonly kind: 'pending' | 'confirmed' })[]
}

/** Creates and fills the tables in one transaction, and collects the planner's statistics. */
export async function setUpTables(pool: pg.Pool, { signers, wallets, deposits = [] }: SetUp): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(SCHEMA)
    await fill(client, 'api_keys', signers.map(keyRow))
    await fill(client, 'wallets', wallets.map(walletRow))
    await fill(client, 'deposits', deposits.map(depositRow))
    await client.query('COMMIT')
    // Tables that begin empty are left out: without statistics the planner expects them to be large.
    await client.query('ANALYZE api_keys, wallets, deposits')
  } finally {
    // Closed instead of released, so that no other request inherits a failed transaction.
    client.release(true)
  }
}

/** Rows are objects by column. Bytes are written as `\x` and hex, as PostgreSQL reads them. */
async function fill(client: pg.PoolClient, table: string, rows: readonly object[]): Promise<void> {
  await client.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
    JSON.stringify(rows),
  ])
}

function keyRow({ owner, publicKeyHex, permissions = ['invoices:create'], expiresAt, revokedAt }: RegisteredKey) {
  const publicKey = parsePublicKeyHex(publicKeyHex)
  if (publicKey === null) throw new Error(`${publicKeyHex} is no public key`)
  return {
    public_key: `\\x${Buffer.from(publicKey).toString('hex')}`,
    owner,
    permissions,
    expires_at: expiresAt,
    revoked_at: revokedAt,
  }
}

function walletRow({ id, owner, address, network }: AssignedWallet) {
  return { id, owner, network, address: canonicalAddress(address) }
}

function depositRow(deposit: NonNullable<SetUp['deposits']>[number]) {
  const value = depositValue(deposit, DECIMALS)
  if (value === null) throw new Error(`${deposit.amount} is no amount of a deposit`)
  return {
    network: deposit.network,
    tx_hash: deposit.txHash,
    index: deposit.index,
    address: canonicalAddress(deposit.toAddress),
    currency: value.currency,
    atoms: String(value.atoms),
    kind: deposit.kind,
    received_at: deposit.receivedAt,
  }
}
