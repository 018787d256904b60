import type { NameInNetwork } from '../../../domain/aside.js'
import type { BlockHead, ChainPosition } from '../../../domain/block.js'
import type { Network } from '../../../domain/network.js'
import type { BlockRow } from '../../rules/chain-work.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { isIndex } from '../deposits/deposit-rows.js'

interface HeadColumns {
  readonly height: number
  readonly hash: string
  readonly parent_hash: string
  readonly time_ms: number
}

interface BlockColumns extends HeadColumns {
  readonly tx_hashes: readonly string[]
  readonly indexes: readonly string[]
}

/** Asks one statement: of a unit of work, or of what was committed. */
export type Ask = <T>(fragment: Fragment) => Promise<readonly T[]>

/*
 * The blocks that the watchers have passed. A deposit is held by one block, the lowest that was seen with it: a later block
 * that was wrongly said to have it too does not take it away when it disappears.
 */

export async function positionOf(ask: Ask, network: Network): Promise<ChainPosition | undefined> {
  const [row] = await ask<HeadColumns & { readonly oldest: number; readonly confirmed: number | null }>(sql`
    SELECT b.height, b.hash, b.parent_hash, b.time_ms,
      (SELECT min(height) FROM blocks WHERE network = ${network}) AS oldest,
      (SELECT confirmed FROM chains WHERE network = ${network}) AS confirmed
    FROM blocks AS b WHERE b.network = ${network} ORDER BY b.height DESC LIMIT 1`)
  if (row === undefined) return undefined
  const { oldest, confirmed } = row
  return { tip: toHead(row), oldest, confirmed: confirmed ?? oldest - 1 }
}

/** May be one below the lowest block of all, which is −1 for a chain from its first block. */
export function putConfirmed(work: Work, network: Network, height: number): void {
  work.write(sql`UPDATE chains SET confirmed = ${height}::bigint WHERE network = ${network}`)
}

export async function findHead(ask: Ask, network: Network, height: number): Promise<BlockHead | undefined> {
  if (!Number.isSafeInteger(height) || height < 0) return undefined
  const [row] = await ask<HeadColumns>(sql`
    SELECT height, hash, parent_hash, time_ms FROM blocks WHERE network = ${network} AND height = ${height}::bigint`)
  return row === undefined ? undefined : toHead(row)
}

/** The blocks that a condition on `blocks AS b` selects, oldest first. */
async function selectBlocks(ask: Ask, network: Network, rest: Fragment): Promise<readonly BlockRow[]> {
  const rows = await ask<BlockColumns>(sql`
    SELECT b.height, b.hash, b.parent_hash, b.time_ms, held.tx_hashes, held.indexes FROM blocks AS b
    CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(d.tx_hash ORDER BY d.place), '{}') AS tx_hashes,
        coalesce(array_agg(d.index::text ORDER BY d.place), '{}') AS indexes
      FROM block_deposits AS d WHERE d.network = b.network AND d.height = b.height
    ) AS held
    WHERE b.network = ${network} AND ${rest}`)
  return rows.map((row) => ({
    ...toHead(row),
    deposits: row.tx_hashes.map((txHash, i) => ({ txHash, index: Number(row.indexes[i]) })),
  }))
}

/** Blocks of some heights, oldest first. */
export function blocksAt(ask: Ask, network: Network, heights: readonly number[]): Promise<readonly BlockRow[]> {
  return selectBlocks(ask, network, sql`b.height = ANY(${heights}::bigint[]) ORDER BY b.height`)
}

/** Newest first, as they were built on one another. */
export function blocksAbove(ask: Ask, network: Network, above: number): Promise<readonly BlockRow[]> {
  return selectBlocks(ask, network, sql`b.height > ${above}::bigint ORDER BY b.height DESC`)
}

/** Enters a block, or another one in its place. */
export function putBlock(work: Work, network: Network, { height, hash, parentHash, timeMs }: BlockHead): void {
  work.write(sql`
    INSERT INTO blocks (network, height, hash, parent_hash, time_ms)
    VALUES (${network}, ${height}::bigint, ${hash}, ${parentHash}, ${timeMs}::bigint)
    ON CONFLICT (network, height) DO UPDATE SET hash = excluded.hash, parent_hash = excluded.parent_hash, time_ms = excluded.time_ms`)
}

/** Removes blocks below or above a height; their deposits are held by none then. */
export function removeBlocks(work: Work, network: Network, condition: (height: Fragment) => Fragment): void {
  for (const table of [sql`block_deposits`, sql`blocks`]) {
    work.write(sql`DELETE FROM ${table} WHERE network = ${network} AND ${condition(sql`height`)}`)
  }
}

/** A deposit, and the height of the block that holds it. */
export interface HeldDeposit extends NameInNetwork {
  readonly height: number
}

/** Those of these deposits that blocks hold. */
export async function holdersOf(
  work: Work,
  network: Network,
  all: readonly NameInNetwork[],
): Promise<readonly HeldDeposit[]> {
  const names = all.filter(({ index }) => isIndex(index))
  if (names.length === 0) return []
  const rows = await work.rows<{ tx_hash: string; index: number; height: number }>(sql`
    SELECT d.tx_hash, d.index, d.height FROM block_deposits AS d JOIN unnest(
      ${names.map(({ txHash }) => txHash)}::text[], ${names.map(({ index }) => index)}::bigint[]
    ) AS asked (tx_hash, index) ON d.network = ${network} AND d.tx_hash = asked.tx_hash AND d.index = asked.index`)
  return rows.map(({ tx_hash: txHash, index, height }) => ({ txHash, index, height }))
}

/** Lets a block hold a deposit, as its `place`-th. */
export function holdDeposit(work: Work, network: Network, { txHash, index, height }: HeldDeposit, place: number): void {
  work.write(sql`
    INSERT INTO block_deposits (network, tx_hash, index, height, place)
    VALUES (${network}, ${txHash}, ${index}::bigint, ${height}::bigint, ${place}::bigint)
    ON CONFLICT (network, tx_hash, index) DO UPDATE SET height = excluded.height, place = excluded.place`)
}

export function releaseDeposit(work: Work, network: Network, { txHash, index }: NameInNetwork): void {
  work.write(sql`
    DELETE FROM block_deposits WHERE network = ${network} AND tx_hash = ${txHash} AND index = ${index}::bigint`)
}

/** Removes everything that is known of the chain. It is watched from now on. */
export function forgetChain(work: Work, network: Network): void {
  removeBlocks(work, network, () => sql`true`)
  work.write(sql`UPDATE chains SET confirmed = NULL, watched_at = ${work.nowMs}::bigint WHERE network = ${network}`)
}

function toHead({ height, hash, parent_hash: parentHash, time_ms: timeMs }: HeadColumns): BlockHead {
  return { height, hash, parentHash, timeMs }
}
