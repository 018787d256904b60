import type { CurrencyLabel } from '../../../domain/amount.js'
import { type BlockAside, type DepositAside, mergedAside, type NameInNetwork } from '../../../domain/aside.js'
import type { DepositReport } from '../../../domain/deposit.js'
import type { Network } from '../../../domain/network.js'
import type { AsidePort } from '../../aside.js'
import type { AsideWork } from '../../rules/chain-work.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import type { DepositId } from '../deposits/deposit-rows.js'
import type { Ask } from './block-rows.js'

export interface BlockAsideColumns {
  readonly network: Network
  readonly height: number
  readonly hash: string | null
  readonly reason: string
  readonly since: number
  readonly failed_for_ms: number
  readonly failed_at: number
  readonly tx_hashes: readonly string[]
  /** As texts, as lists of numbers come. */
  readonly indexes: readonly string[]
}

export interface DepositAsideColumns {
  readonly network: Network
  readonly tx_hash: string
  readonly index: number
  readonly to_address: string
  readonly label: CurrencyLabel
  readonly amount: string
  readonly received_at: number
  readonly report: DepositReport
  readonly height: number | null
  readonly error: string
  readonly since: number
}

export const BLOCK_ASIDE_COLUMNS = sql`a.network, a.height, a.hash, a.reason, a.since, a.failed_for_ms, a.failed_at, a.tx_hashes,
  a.indexes::text[] AS indexes`

export const DEPOSIT_ASIDE_COLUMNS = sql`a.network, a.tx_hash, a.index, a.to_address, a.label, a.amount, a.received_at, a.report,
  a.height, a.error, a.since`

/** Reads what was set aside. */
export class PostgresAside implements AsidePort {
  constructor(private readonly database: Database) {}

  async blocks(network: Network): Promise<readonly BlockAside[]> {
    const rows = await this.database.read<BlockAsideColumns>(
      sql`SELECT ${BLOCK_ASIDE_COLUMNS} FROM blocks_aside AS a WHERE a.network = ${network} ORDER BY a.height`,
    )
    return rows.map(toBlockAside)
  }

  async deposits(): Promise<readonly DepositAside[]> {
    const rows = await this.database.read<DepositAsideColumns>(
      sql`SELECT ${DEPOSIT_ASIDE_COLUMNS} FROM deposits_aside AS a ORDER BY a.network, a.tx_hash, a.index`,
    )
    return rows.map(toDepositAside)
  }
}

/** `known`: the deposits of the network that are aside. */
export function asideOf(work: Work, network: Network, known: readonly DepositAside[]): Omit<AsideWork, 'putDeposit'> {
  return {
    putBlock: (aside) => putBlockAside(work, aside),
    endBlock(height) {
      work.write(sql`DELETE FROM blocks_aside WHERE network = ${network} AND height = ${height}::bigint`)
    },
    endWaiting(from, to) {
      work.write(sql`
        DELETE FROM blocks_aside
        WHERE network = ${network} AND height >= ${from}::bigint AND height <= ${to}::bigint AND hash IS NULL`)
    },
    endAbove: (height) => endAsideAbove(work, network, height),
    forget() {
      work.write(sql`DELETE FROM blocks_aside WHERE network = ${network}`)
      work.write(sql`UPDATE deposits_aside SET height = NULL WHERE network = ${network}`)
    },
    deposits: () => known,
    deposit: ({ txHash, index }) => findDepositAside(work, { network, txHash, index }),
    endDeposit({ txHash, index }) {
      work.write(sql`
        DELETE FROM deposits_aside WHERE network = ${network} AND tx_hash = ${txHash} AND index = ${index}::bigint`)
    },
  }
}

export async function findBlockAside(ask: Ask, network: Network, height: number): Promise<BlockAside | undefined> {
  const [row] = await ask<BlockAsideColumns>(sql`
    SELECT ${BLOCK_ASIDE_COLUMNS} FROM blocks_aside AS a WHERE a.network = ${network} AND a.height = ${height}::bigint`)
  return row === undefined ? undefined : toBlockAside(row)
}

export function putBlockAside(work: Work, row: BlockAside): void {
  work.write(sql`
    INSERT INTO blocks_aside (network, height, hash, reason, since, failed_for_ms, failed_at, tx_hashes, indexes)
    VALUES (${row.network}, ${row.height}::bigint, ${row.hash}, ${row.reason}, ${row.since}::bigint, ${row.failedForMs}::bigint,
      ${row.failedAt}::bigint, ${row.deposits.map(({ txHash }) => txHash)}::text[],
      ${row.deposits.map(({ index }) => index)}::bigint[])
    ON CONFLICT (network, height) DO UPDATE SET hash = excluded.hash, reason = excluded.reason, since = excluded.since,
      failed_for_ms = excluded.failed_for_ms, failed_at = excluded.failed_at, tx_hashes = excluded.tx_hashes,
      indexes = excluded.indexes`)
}

export async function depositsAsideOf(work: Work, network: Network): Promise<readonly DepositAside[]> {
  const rows = await work.rows<DepositAsideColumns>(
    sql`SELECT ${DEPOSIT_ASIDE_COLUMNS} FROM deposits_aside AS a WHERE a.network = ${network}`,
  )
  return rows.map(toDepositAside)
}

async function findDepositAside(work: Work, id: DepositId): Promise<DepositAside | undefined> {
  const [row] = await work.rows<DepositAsideColumns>(sql`
    SELECT ${DEPOSIT_ASIDE_COLUMNS} FROM deposits_aside AS a
    WHERE a.network = ${id.network} AND a.tx_hash = ${id.txHash} AND a.index = ${id.index}::bigint`)
  return row === undefined ? undefined : toDepositAside(row)
}

/** Keeps a deposit whose recording failed. Throws when there are too many of them. */
export async function putDepositAside(work: Work, later: DepositAside): Promise<void> {
  const known = await findDepositAside(work, later.sighting)
  const counted = await work.row<{ count: number }>(sql`SELECT count(*) AS count FROM deposits_aside`)
  const { sighting, report, height, error, since } = mergedAside(known, later, counted?.count ?? 0)
  work.write(sql`
    INSERT INTO deposits_aside (network, tx_hash, index, to_address, label, amount, received_at, report, height, error, since)
    VALUES (${sighting.network}, ${sighting.txHash}, ${sighting.index}::bigint, ${sighting.toAddress}, ${sighting.currency},
      ${sighting.amount}, ${sighting.receivedAt}::bigint, ${report}, ${height}::bigint, ${error}, ${since}::bigint)
    ON CONFLICT (network, tx_hash, index) DO UPDATE SET to_address = excluded.to_address, label = excluded.label,
      amount = excluded.amount, received_at = excluded.received_at, report = excluded.report, height = excluded.height,
      error = excluded.error, since = excluded.since`)
}

/** Deposits were reported, and their recording did not fail: `supersedes` of the domain, as a condition. */
export function endDepositsAside(
  work: Work,
  reported: readonly { readonly id: DepositId; readonly report: DepositReport }[],
): void {
  const column = <T>(of: (one: (typeof reported)[number]) => T) => reported.map(of)
  work.write(sql`
    DELETE FROM deposits_aside AS a USING unnest(
      ${column(({ id }) => id.network)}::text[], ${column(({ id }) => id.txHash)}::text[],
      ${column(({ id }) => id.index)}::bigint[], ${column(({ report }) => report)}::text[]
    ) AS later (network, tx_hash, index, report)
    WHERE a.network = later.network AND a.tx_hash = later.tx_hash AND a.index = later.index
      AND (later.report <> 'pending' OR a.report <> 'confirmed')`)
}

/** What is waited for is of no branch. */
function endAsideAbove(work: Work, network: Network, above: number): void {
  const isGone = sql`network = ${network} AND height > ${above}::bigint`
  work.write(sql`DELETE FROM blocks_aside WHERE ${isGone} AND hash IS NOT NULL`)
  work.write(sql`DELETE FROM deposits_aside WHERE ${isGone}`)
}

export function toBlockAside({ network, height, hash, reason, since, ...row }: BlockAsideColumns): BlockAside {
  const deposits: readonly NameInNetwork[] = row.tx_hashes.map((txHash, i) => {
    return { txHash, index: Number(row.indexes[i]) }
  })
  const { failed_for_ms: failedForMs, failed_at: failedAt } = row
  return { network, height, hash, reason, since, failedForMs, failedAt, deposits }
}

export function toDepositAside(row: DepositAsideColumns): DepositAside {
  const { network, tx_hash: txHash, index, to_address: toAddress, label: currency, amount } = row
  const sighting = { network, txHash, index, toAddress, currency, amount, receivedAt: row.received_at }
  const { report, height, error, since } = row
  return { sighting, report, height, error, since }
}
