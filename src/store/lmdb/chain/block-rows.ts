import type { NameInNetwork } from '../../../domain/aside.js'
import type { BlockHead, ChainPosition } from '../../../domain/block.js'
import type { Network } from '../../../domain/network.js'
import type { BlockRow, BlockWork } from '../../rules/chain-work.js'
import type { Commit, Reader } from '../commit/commit.js'
import { depositKey } from '../deposits/deposit-rows.js'
import { networkKey, WIDE_BYTES, wideKey } from '../tables/keys.js'
import { fieldsOf, integer, listOf, recordCodec, text } from '../tables/record-codec.js'
import { firstKey, lastKey } from '../tables/tables.js'
import { putWatch } from './watch-rows.js'

export const blockCodec = recordCodec<Omit<BlockRow, 'height'>>('blocks', 1, {
  hash: text,
  parentHash: text,
  timeMs: integer,
  deposits: listOf(fieldsOf<NameInNetwork>({ txHash: text, index: integer })),
})

/** The most blocks that one step removes, beyond as many as it brings. */
const PRUNED_MAX = 256

const HEIGHT_MAX = 0xffff_ffff_ffff

/*
 * The blocks that the watchers have passed. A deposit is held by one block, the lowest that was seen with it: a later block
 * that was wrongly said to have it too does not take it away when it disappears.
 */

export function blocksOf(commit: Commit, network: Network): BlockWork {
  return {
    position: () => positionOf(commit, network),
    put: ({ height, hash, parentHash, timeMs }, held) =>
      putBlock(commit, network, { height, hash, parentHash, timeMs, deposits: held }),
    removeAbove(_height, blocks) {
      for (const row of blocks) removeBlock(commit, network, row)
    },
    removeBelow(height, brought) {
      for (const row of blocksBelow(commit, network, height, brought + PRUNED_MAX)) removeBlock(commit, network, row)
    },
    putConfirmed: (height) => putConfirmed(commit, network, height),
    forget: () => forgetChain(commit, network),
    holderOf: (name) => holderOf(commit, network, name),
    hold: (name, height) => holdDeposit(commit, network, name, height),
    release(name) {
      const holder = holderOf(commit, network, name)
      if (holder !== undefined) leaveBlock(commit, network, name, holder)
      releaseDeposit(commit, network, name)
    },
  }
}

export function positionOf(at: Reader, network: Network): ChainPosition | undefined {
  const { blocks, chains } = at.tables
  const tip = tipOf(at, network)
  const first = firstKey(blocks, networkKey(network), blockKey(network, HEIGHT_MAX))
  if (tip === undefined || first === undefined) return undefined
  const oldest = heightOf(first)
  const confirmed = chains.get(networkKey(network))?.readIntBE(0, WIDE_BYTES) ?? oldest - 1
  return { tip: toHead(getBlock(at, network, tip)), oldest, confirmed }
}

/** Height of the last block; undefined before the first one. */
export function tipOf({ tables }: Reader, network: Network): number | undefined {
  const last = lastKey(tables.blocks, blockKey(network, HEIGHT_MAX), networkKey(network))
  return last === undefined ? undefined : heightOf(last)
}

/** May be one below the lowest block of all, which is −1 for a chain from its first block. */
export function putConfirmed({ tables }: Commit, network: Network, height: number): void {
  const bytes = Buffer.alloc(WIDE_BYTES)
  bytes.writeIntBE(height, 0, WIDE_BYTES)
  tables.chains.putSync(networkKey(network), bytes)
}

export function findBlock({ tables }: Reader, network: Network, height: number): BlockRow | undefined {
  if (!Number.isInteger(height) || height < 0 || height > HEIGHT_MAX) return undefined
  const bytes = tables.blocks.getBinaryFast(blockKey(network, height))
  return bytes === undefined ? undefined : { height, ...blockCodec.decode(bytes) }
}

function getBlock(at: Reader, network: Network, height: number): BlockRow {
  const row = findBlock(at, network, height)
  if (row === undefined) throw new Error(`block ${height} of ${network} is not there`)
  return row
}

export function putBlock({ tables }: Commit, network: Network, { height, ...row }: BlockRow): void {
  tables.blocks.putSync(blockKey(network, height), blockCodec.encode(row))
}

/** Removes a block; its deposits are held by none then. */
function removeBlock(commit: Commit, network: Network, row: BlockRow): void {
  for (const id of row.deposits) releaseDeposit(commit, network, id)
  commit.tables.blocks.removeSync(blockKey(network, row.height))
}

/** Takes a deposit out of the row of the block that holds it. */
function leaveBlock(commit: Commit, network: Network, { txHash, index }: NameInNetwork, height: number): void {
  const row = getBlock(commit, network, height)
  const deposits = row.deposits.filter((one) => one.txHash !== txHash || one.index !== index)
  putBlock(commit, network, { ...row, deposits })
}

/** Height of the block that holds a deposit. */
export function holderOf({ tables }: Reader, network: Network, { txHash, index }: NameInNetwork): number | undefined {
  return tables.blockDeposits.get(depositKey({ network, txHash, index }))?.readUIntBE(0, WIDE_BYTES)
}

/** The row of the block has to list the deposit too. */
export function holdDeposit(commit: Commit, network: Network, name: NameInNetwork, height: number): void {
  commit.tables.blockDeposits.putSync(depositKey({ network, ...name }), wideKey(height))
}

function releaseDeposit({ tables }: Commit, network: Network, { txHash, index }: NameInNetwork): void {
  tables.blockDeposits.removeSync(depositKey({ network, txHash, index }))
}

/** Highest first, as they were built on one another. */
export function blocksAbove(at: Reader, network: Network, above: number): readonly BlockRow[] {
  const rows: BlockRow[] = []
  const tip = positionOf(at, network)?.tip.height ?? -1
  for (let height = tip; height > above; height -= 1) {
    const row = findBlock(at, network, height)
    if (row === undefined) break
    rows.push(row)
  }
  return rows
}

/** Up to `limit` blocks below a height, oldest first. */
function blocksBelow(commit: Commit, network: Network, height: number, limit: number): readonly BlockRow[] {
  const end = blockKey(network, Math.max(0, height))
  const keys = [...commit.tables.blocks.getKeys({ start: blockKey(network, 0), end, limit })]
  return keys.map((key) => getBlock(commit, network, heightOf(key)))
}

/** Removes everything that is known of the chain. It is watched from now on. */
function forgetChain(commit: Commit, network: Network): void {
  for (const row of blocksBelow(commit, network, HEIGHT_MAX, Number.MAX_SAFE_INTEGER)) {
    removeBlock(commit, network, row)
  }
  commit.tables.chains.removeSync(networkKey(network))
  putWatch(commit, network, { watchedAt: commit.nowMs })
}

export function toHead({ height, hash, parentHash, timeMs }: BlockHead): BlockHead {
  return { height, hash, parentHash, timeMs }
}

function blockKey(network: Network, height: number): Buffer {
  return Buffer.concat([networkKey(network), wideKey(height)])
}

function heightOf(key: Buffer): number {
  return key.readUIntBE(key.length - WIDE_BYTES, WIDE_BYTES)
}
