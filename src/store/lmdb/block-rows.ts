import type { BlockHead, ChainPosition } from '../../domain/block.js'
import type { Deposit } from '../../domain/deposit.js'
import { NETWORKS, type Network } from '../../domain/network.js'
import { WIDE_BYTES } from './bytes.js'
import { depositKey } from './deposit-rows.js'
import { recordCodec } from './record-codec.js'
import { firstKey, lastKey, type Tables } from './tables.js'

/** What a deposit is known by within its network. */
export type DepositId = Pick<Deposit, 'txHash' | 'index'>

/** A block with the deposits that it holds: that live and die with it. */
export interface BlockRow extends BlockHead {
  readonly deposits: readonly DepositId[]
}

const codec = recordCodec<Omit<BlockRow, 'height'>>(
  'blocks',
  1,
  (row) => [
    row.hash,
    row.parentHash,
    row.timeMs,
    row.deposits.length,
    ...row.deposits.flatMap(({ txHash, index }) => [txHash, index]),
  ],
  (fields) => ({
    hash: fields.text(),
    parentHash: fields.text(),
    timeMs: fields.integer(),
    deposits: Array.from({ length: fields.integer() }, () => ({ txHash: fields.text(), index: fields.integer() })),
  }),
)

const KEY_BYTES = 1 + WIDE_BYTES
const HEIGHT_MAX = 0xffff_ffff_ffff

/**
 * The blocks that the watchers went by. A deposit is held by one block, the lowest that was seen with it, so that no later
 * block that was said to have it too takes it away when it disappears.
 */
export class BlockRows {
  constructor(private readonly tables: Pick<Tables, 'chains' | 'blocks' | 'blockDeposits'>) {}

  position(network: Network): ChainPosition | undefined {
    const low = blockKey(network, 0)
    const high = blockKey(network, HEIGHT_MAX)
    const last = lastKey(this.tables.blocks, high, Buffer.of(NETWORKS.indexOf(network)))
    const first = firstKey(this.tables.blocks, low, high)
    if (last === undefined || first === undefined) return undefined
    const tip = headOf(this.get(network, heightOf(last)))
    const oldest = heightOf(first)
    const confirmed = this.tables.chains.get(chainKey(network))
    return { tip, oldest, confirmed: confirmed === undefined ? oldest - 1 : confirmed.readIntBE(0, WIDE_BYTES) }
  }

  /** May be one below the lowest block of all, which is −1 for a chain from its first block. */
  setConfirmed(network: Network, height: number): void {
    const bytes = Buffer.alloc(WIDE_BYTES)
    bytes.writeIntBE(height, 0, WIDE_BYTES)
    this.tables.chains.putSync(chainKey(network), bytes)
  }

  find(network: Network, height: number): BlockRow | undefined {
    if (!Number.isInteger(height) || height < 0 || height > HEIGHT_MAX) return undefined
    const bytes = this.tables.blocks.getBinaryFast(blockKey(network, height))
    return bytes === undefined ? undefined : { height, ...codec.decode(bytes) }
  }

  headAt(network: Network, height: number): BlockHead | undefined {
    const row = this.find(network, height)
    return row === undefined ? undefined : headOf(row)
  }

  get(network: Network, height: number): BlockRow {
    return this.find(network, height) ?? missing(network, height)
  }

  put(network: Network, { height, ...row }: BlockRow): void {
    this.tables.blocks.putSync(blockKey(network, height), codec.encode(row))
  }

  /** Removes a block; its deposits are held by none then. */
  remove(network: Network, row: BlockRow): void {
    for (const id of row.deposits) this.release(network, id)
    this.tables.blocks.removeSync(blockKey(network, row.height))
  }

  /** Height of the block that holds a deposit. */
  holderOf(network: Network, { txHash, index }: DepositId): number | undefined {
    return this.tables.blockDeposits.get(depositKey(network, txHash, index))?.readUIntBE(0, WIDE_BYTES)
  }

  /** The row of the block has to list the deposit too. */
  hold(network: Network, { txHash, index }: DepositId, height: number): void {
    const bytes = Buffer.alloc(WIDE_BYTES)
    bytes.writeUIntBE(height, 0, WIDE_BYTES)
    this.tables.blockDeposits.putSync(depositKey(network, txHash, index), bytes)
  }

  release(network: Network, { txHash, index }: DepositId): void {
    this.tables.blockDeposits.removeSync(depositKey(network, txHash, index))
  }

  /** Up to `limit` blocks below a height, oldest first. */
  below(network: Network, height: number, limit: number): readonly BlockRow[] {
    const end = blockKey(network, Math.max(0, height))
    const keys = [...this.tables.blocks.getKeys({ start: blockKey(network, 0), end, limit })]
    return keys.map((key) => this.get(network, heightOf(key)))
  }

  /** Removes everything that is known of the chain. */
  forget(network: Network): void {
    for (const row of this.below(network, HEIGHT_MAX, Number.MAX_SAFE_INTEGER)) this.remove(network, row)
    this.tables.chains.removeSync(chainKey(network))
  }
}

function chainKey(network: Network): Buffer {
  return Buffer.of(NETWORKS.indexOf(network))
}

function blockKey(network: Network, height: number): Buffer {
  const key = Buffer.allocUnsafe(KEY_BYTES)
  key[0] = NETWORKS.indexOf(network)
  key.writeUIntBE(height, 1, WIDE_BYTES)
  return key
}

function heightOf(key: Buffer): number {
  return key.readUIntBE(1, WIDE_BYTES)
}

function headOf({ height, hash, parentHash, timeMs }: BlockHead): BlockHead {
  return { height, hash, parentHash, timeMs }
}

function missing(network: Network, height: number): never {
  throw new Error(`block ${height} of ${network} is not there`)
}
