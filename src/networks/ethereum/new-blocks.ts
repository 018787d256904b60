import { type BlockHead, isConsecutive } from '../../domain/block.js'
import { limitOf, NodeFailure } from '../node/answer.js'
import type { JsonRpc } from '../node/json-rpc.js'
import { blockCall, blockShape, type EthereumBlock, readBlock, type ToldBlock } from './block.js'
import type { EthereumFilter } from './filter.js'
import type { HeadReader } from './head-reader.js'
import { isUnknownBlock } from './pruned-history.js'
import { SeenBlocks } from './seen-blocks.js'

/** Reads new blocks from one node, and knows them again when they are confirmed. */
export class NewBlocks {
  private readonly seen = new SeenBlocks()

  constructor(
    private readonly rpc: JsonRpc,
    private readonly heads: HeadReader,
  ) {}

  /** The blocks of a range that the node has now, from its first one on. */
  async present(from: number, width: number, filter: EthereumFilter): Promise<readonly EthereumBlock[]> {
    // The last one may have been told with the head.
    const newest = this.heads.take(from + width - 1)
    const calls = Array.from({ length: newest === null ? width : width - 1 }, (_, i) => blockCall(from + i))
    const read = (told: ToldBlock, i: number) => (told === null ? null : readBlock(told, from + i, filter.isWatched))
    const orNone = (error: unknown): readonly null[] => {
      if (calls.length === 1 && isUnknownBlock(error)) return []
      throw error
    }
    const shape = blockShape(filter.isWatched, { hasReceivers: true })
    const blocks = [...(await this.rpc.all(calls, shape, read).catch(orNone))]
    if (newest !== null && blocks.length === calls.length) blocks.push(read(newest, width - 1))
    const missing = blocks.indexOf(null)
    return (missing === -1 ? blocks : blocks.slice(0, missing)) as readonly EthereumBlock[]
  }

  /** The same. Those at the beginning that are known, and are ancestors of the newest block, are not asked for. */
  async next(from: number, width: number, filter: EthereumFilter): Promise<readonly EthereumBlock[]> {
    const { latest } = this.heads
    const isKnown = latest !== null && this.seen.leadTo(latest)
    const known = isKnown ? this.seen.known(from, Math.min(from + width - 1, latest.height), filter) : []
    if (known.length < width)
      return [...known, ...(await this.present(from + known.length, width - known.length, filter))]
    this.heads.take(from + width - 1)
    return known
  }

  /** Blocks were told as new ones, each the parent of the next. */
  note(blocks: readonly EthereumBlock[]): void {
    this.seen.note(blocks)
  }

  /**
   * The first of these blocks as they were read when they were new, if what confirms them proves that they are the chain. None
   * that has to be asked for once more, since its header does not prove what was read of it.
   */
  async proven(from: number, to: number, filter: EthereumFilter): Promise<readonly EthereumBlock[]> {
    const { seen } = this
    const { confirmed } = this.heads
    seen.dropBelow(from)
    if (confirmed === null) return []
    const end = Math.min(to, confirmed.height)
    const wanted = this.knownByHeader(from, end, filter).length
    if (wanted > 0 && !seen.leadTo(confirmed.by)) await this.bridge(confirmed.by, wanted, filter)
    // The ones between may have turned out to be of another chain.
    return seen.leadTo(confirmed.by) ? this.knownByHeader(from, end, filter) : []
  }

  /** What was read with these blocks does not fit them, so they are asked for again. */
  doubt(blocks: readonly EthereumBlock[]): void {
    this.seen.doubt(blocks)
  }

  forget(): void {
    this.seen.forget()
  }

  /** Known blocks whose headers prove what was read of them. */
  private knownByHeader(from: number, to: number, filter: EthereumFilter): readonly EthereumBlock[] {
    const known = this.seen.known(from, to, filter)
    const end = known.findIndex(({ isProven }) => !isProven)
    return end === -1 ? known : known.slice(0, end)
  }

  /**
   * Reads the blocks between the last one that is known and a newer one: the hashes of their parents lead from one to the other. They
   * are wanted next anyway. Never more than a number, which would be asked for otherwise.
   */
  private async bridge(end: BlockHead, max: number, filter: EthereumFilter): Promise<void> {
    const { next } = this.seen
    const width = end.height - next
    if (width <= 0 || width > max) return
    try {
      const blocks = await this.present(next, width, filter)
      if (isConsecutive(blocks)) this.seen.note(blocks)
    } catch (error) {
      // Then the blocks themselves are asked for.
      if (!(error instanceof NodeFailure) || limitOf(error) !== null) throw error
    }
  }
}
