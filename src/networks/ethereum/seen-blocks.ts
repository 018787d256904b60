import type { BlockHead } from '../../domain/block.js'
import type { EthereumBlock } from './block.js'
import type { EthereumFilter } from './filter.js'

/** On a second layer 600 blocks of 300 transactions that wait 20 minutes for their finality take somewhat more. */
const BYTES_MAX = 8 * 1024 * 1024
/** As many blocks as may wait for their confirmation: of each the hash is kept, whatever it holds. */
const BLOCKS_MAX = 20_000
/** What a block takes, roughly, without its lists; each hash in these; and each receiver. */
const BLOCK_BYTES = 2048
const HASH_BYTES = 32
const RECEIVER_BYTES = 20

interface SeenBlock {
  readonly hash: string
  /** What was read of it; null when that does not count, or there is no room. */
  block: EthereumBlock | null
}

/**
 * The blocks that a node has told when they were new, as one chain: each is the parent of the next. A block that the node tells
 * later proves by the hash of its parent that they are still its chain, and a hash stands for all that a block holds. So
 * they need not be asked for a second time.
 */
export class SeenBlocks {
  private chain: SeenBlock[] = []
  /** The height of the first one. */
  private first = 0
  private bytes = 0

  constructor(
    private readonly bytesMax = BYTES_MAX,
    private readonly blocksMax = BLOCKS_MAX,
  ) {}

  /** The height behind the last one. */
  get next(): number {
    return this.first + this.chain.length
  }

  /** Notes consecutive blocks. What is known and not below them is replaced, and all that is known when they do not follow it. */
  note(blocks: readonly EthereumBlock[]): void {
    for (const block of blocks) {
      const { height, hash, parentHash } = block
      const isNext = height <= this.next && this.at(height - 1)?.hash === parentHash
      if (isNext) this.remove(height - this.first, this.chain.length)
      else {
        this.forget()
        this.first = height
      }
      if (this.chain.length >= this.blocksMax) this.dropBelow(this.first + 1)
      // The oldest ones are wanted first, so they keep their room.
      const bytes = bytesOf(block)
      const isKept = isUsable(block) && this.bytes + bytes <= this.bytesMax
      if (isKept) this.bytes += bytes
      this.chain.push({ hash, block: isKept ? block : null })
    }
  }

  /** The blocks from a height on, up to another, of which nothing has to be asked for; as many in a row as there are. */
  known(from: number, to: number, { isWatched }: Pick<EthereumFilter, 'isWatched'>): readonly EthereumBlock[] {
    const known: EthereumBlock[] = []
    for (let height = from; height <= to; height += 1) {
      const block = this.at(height)?.block ?? null
      if (block === null || paysOthersOfUs(block, isWatched)) break
      known.push(block)
    }
    return known
  }

  /** Whether a block that the node has told is one of the chain, or the next one, so that all below it are its chain. */
  leadTo({ height, hash, parentHash }: BlockHead): boolean {
    const own = this.at(height)
    return own === undefined ? this.at(height - 1)?.hash === parentHash : own.hash === hash
  }

  /** Forgets what these blocks hold: something that was read with them does not fit. */
  doubt(blocks: readonly EthereumBlock[]): void {
    for (const { height, hash } of blocks) {
      const seen = this.at(height)
      if (seen === undefined || seen.hash !== hash || seen.block === null) continue
      this.bytes -= bytesOf(seen.block)
      seen.block = null
    }
  }

  /** Blocks below a height are no longer needed. */
  dropBelow(height: number): void {
    const count = Math.min(this.chain.length, Math.max(0, height - this.first))
    this.remove(0, count)
    this.first += count
  }

  /** It may be another node by now. */
  forget(): void {
    this.chain = []
    this.bytes = 0
  }

  private at(height: number): SeenBlock | undefined {
    return this.chain[height - this.first]
  }

  private remove(start: number, end: number): void {
    for (const { block } of this.chain.splice(start, end - start)) if (block !== null) this.bytes -= bytesOf(block)
  }
}

/** Whether it is known of everybody whether they are paid: wallets may become known later. */
function isUsable({ receivers, doubtful }: EthereumBlock): boolean {
  return receivers !== null && doubtful.length === 0
}

/** Whether a transaction sends coins to somebody who is watched now and was not when the block was read. */
function paysOthersOfUs({ payments, receivers }: EthereumBlock, isWatched: (address: string) => boolean): boolean {
  const paid = new Set(payments.map(({ toAddress }) => toAddress))
  return receivers === null || receivers.some((address) => !paid.has(address) && isWatched(address))
}

function bytesOf({ txHashes, receivers }: EthereumBlock): number {
  return BLOCK_BYTES + HASH_BYTES * txHashes.length + RECEIVER_BYTES * (receivers?.length ?? 0)
}
