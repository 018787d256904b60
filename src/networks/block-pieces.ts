import type { Clock } from '../clock.js'
import { type BlockAside, failedAgain, isToBeSetAside } from '../domain/aside.js'
import { isConsecutive, type ObservedBlock } from '../domain/block.js'
import type { AsidePort } from '../store/aside.js'
import type { ChainPort } from '../store/chain.js'
import { type NetworkReader, NodeUnavailable, UnreadableBlock } from './network-reader.js'

/**
 * At nodes that limit the rate, as many blocks are read together as they allow calls in this time: what is confirmed
 * meanwhile comes first, and what was read is recorded soon.
 */
const LIMITED_PIECE_SECONDS = 8

export interface BlockPiecesOptions {
  readonly reader: NetworkReader
  readonly chain: Pick<ChainPort, 'watched'>
  readonly aside: Pick<AsidePort, 'blocks'>
  readonly clock: Clock
  /** How long a block that no node can give holds up the network, ms; 0 for ever. */
  readonly skipAfterMs: number
}

/** Reads blocks in pieces, and finds out which of them no node can give. */
export class BlockPieces {
  /** Blocks that are asked for at once: one where a range failed, to find out which of them it was. */
  private width = Number.POSITIVE_INFINITY

  constructor(
    private readonly options: BlockPiecesOptions,
    /** Notes that a block could not be read, so that the time for which it was waited for outlives the process. */
    private readonly noteUnreadable: (aside: BlockAside) => Promise<unknown>,
  ) {}

  /** Confirmed blocks, as many as are read together. Rejects with `UnreadableBlock` when no node can give the first one. */
  async confirmed(from: number, end: number): Promise<readonly ObservedBlock[]> {
    const { reader, chain } = this.options
    const to = Math.min(end, from + this.most - 1)
    const blocks = await this.ask(from, to, async (last) =>
      reader.blocks(from, last, await chain.watched(reader.network)),
    )
    const last = blocks.at(-1)?.height ?? to + 1
    if (blocks[0]?.height !== from || last > to || !isConsecutive(blocks)) {
      throw new Error(`a reader answered other blocks than ${from} to ${to}`)
    }
    return blocks
  }

  /** Unconfirmed blocks, none where no node has the first one yet. Rejects likewise. */
  async fresh(from: number, end: number): Promise<readonly ObservedBlock[]> {
    const { reader, chain } = this.options
    const to = Math.min(end, from + this.most - 1)
    const blocks = await this.ask(from, to, async (last) =>
      reader.fresh(from, last, await chain.watched(reader.network)),
    )
    if (blocks.length > 0 && (blocks[0]?.height !== from || !isConsecutive(blocks))) {
      throw new Error(`a reader answered other blocks than ${from} on`)
    }
    return blocks
  }

  /** The place of a block that is to be set aside. Throws the error when it is another one, or no node tells the place. */
  async linkOfUnreadable(error: unknown) {
    if (!(error instanceof UnreadableBlock && error.isToBeSetAside)) throw error
    const link = await this.options.reader.linkOf(error.height)
    if (link === null) throw error
    return link
  }

  /** The most blocks that are read together. */
  private get most(): number {
    return Math.ceil(LIMITED_PIECE_SECONDS * this.options.reader.callsPerSecond())
  }

  /** Asks for blocks, fewer of them where no node could give some. */
  private async ask(
    from: number,
    to: number,
    ask: (last: number) => Promise<readonly ObservedBlock[]>,
  ): Promise<readonly ObservedBlock[]> {
    const last = Math.min(to, from + this.width - 1)
    try {
      const blocks = await ask(last)
      this.width *= 2
      return blocks
    } catch (error) {
      if (!(error instanceof NodeUnavailable && error.isOfBlock)) throw error
      this.width = 1
      throw last > from ? error : await this.unreadable(from, error)
    }
  }

  private async unreadable(height: number, error: NodeUnavailable): Promise<UnreadableBlock> {
    const { aside, clock, reader, skipAfterMs } = this.options
    const { network } = reader
    const known = (await aside.blocks(network)).find((one) => one.height === height && one.hash === null)
    const noted = failedAgain(known, { network, height, reason: error.message }, clock.now())
    await this.noteUnreadable(noted)
    return new UnreadableBlock(height, error, isToBeSetAside(noted, skipAfterMs))
  }
}
