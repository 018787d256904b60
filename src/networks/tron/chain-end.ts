import type { Clock } from '../../clock.js'
import type { BlockHead } from '../../domain/block.js'
import { demand } from '../node/answer.js'
import type { TronBlock } from './block.js'
import { type BlockReader, rangePath } from './block-reader.js'
import type { Ladder } from './ladder.js'
import type { Side } from './side.js'

/** New blocks that are asked for together with the end of a chain. */
const WINDOW_BLOCKS = 32

/**
 * The end of the chain as one side of a node has it. Who follows the chain is told of it by the new blocks themselves, so
 * that the end costs no query of its own.
 */
export class ChainEnd {
  private head: BlockHead | null = null
  private passed: number | null = null
  private window: readonly TronBlock[] = []

  constructor(
    private readonly blocks: BlockReader,
    private readonly ladder: Ladder,
    private readonly side: Side,
    private readonly clock: Pick<Clock, 'now'>,
    /** The newest block of a sound node is not older: it is looked for by itself then. */
    private readonly ageMaxMs: number,
  ) {}

  /** The newest block that the node has. */
  async look(): Promise<BlockHead> {
    const { head, passed, side } = this
    this.window = []
    const isNear = head !== null && passed !== null && head.height - passed < WINDOW_BLOCKS
    const alone = { path: `${side}: the newest block`, climb: () => this.blocks.newest(side) }
    const found = isNear
      ? await this.ladder.first([{ path: rangePath(side), climb: () => this.withBlocks(head, passed) }, alone])
      : await alone.climb()
    this.head = found
    return found
  }

  /** Blocks from a height on that came with the last look. */
  take(from: number, max: number): readonly TronBlock[] {
    const start = this.window.findIndex(({ height }) => height === from)
    return start === -1 ? [] : this.window.slice(start, start + max)
  }

  /** The blocks up to a height are no longer needed. */
  pass(height: number): void {
    this.passed = height
  }

  private async withBlocks(head: BlockHead, passed: number): Promise<BlockHead> {
    const { blocks, told } = await this.blocks.range(this.side, passed + 1, WINDOW_BLOCKS)
    this.window = blocks
    const last = blocks.at(-1)
    // Some answer a range that they cannot give like one beyond the end.
    demand(told > 0 || head.height <= passed, `${rangePath(this.side)}: no block from ${passed + 1} on`)
    const end = last !== undefined && last.height > head.height ? last : head
    if (told < WINDOW_BLOCKS && this.clock.now() - end.timeMs <= this.ageMaxMs) return end
    const newest = await this.blocks.newest(this.side)
    return last !== undefined && last.height > newest.height ? last : newest
  }
}
