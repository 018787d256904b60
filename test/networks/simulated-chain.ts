import type { BlockHead, ObservedTransfer } from '../../src/domain/block.js'
import { type BlockTime, wholeSecond } from '../../src/domain/received-at.js'
import { START_MS } from '../support/manual-clock.js'

const BLOCK_MS = 12_000

/** A block with all its transfers, whoever watches. */
export interface SimulatedBlock extends BlockHead, BlockTime {
  readonly transfers: readonly ObservedTransfer[]
}

/** A chain that a test grows and reorganises. It remembers what it was, so that a reader can be behind. */
export class SimulatedChain {
  /** From height 0. */
  private blocks: readonly SimulatedBlock[] = []
  private readonly past: (readonly SimulatedBlock[])[] = []
  private mined = 0

  constructor(
    /** Blocks that lie upon a block before it is confirmed, itself included. */
    readonly confirmations: number,
    /** Blocks that become confirmed at once: more than one where a chain has a finality of its own. */
    readonly confirmedAtOnce = 1,
    /** What blocks say of their time. */
    private readonly timeOf: (timeMs: number) => BlockTime = wholeSecond,
  ) {
    this.mine([])
  }

  get present(): readonly SimulatedBlock[] {
    return this.blocks
  }

  get latest(): number {
    return this.blocks.length - 1
  }

  /** −1 while no block is confirmed. */
  get confirmed(): number {
    return this.confirmedBelow(this.latest)
  }

  /** The last confirmed block of a chain whose newest one is at a height. */
  confirmedBelow(latest: number): number {
    const deep = latest - this.confirmations + 1
    return deep < 0 ? -1 : deep - (deep % this.confirmedAtOnce)
  }

  /** The chain as it was `ago` changes before. */
  was(ago: number): readonly SimulatedBlock[] {
    return this.past[Math.max(0, this.past.length - 1 - ago)] ?? this.blocks
  }

  /** Later than the parent by some seconds, another one in each branch, unless a time is given. */
  mine(transfers: readonly ObservedTransfer[], timeMs?: number): SimulatedBlock {
    this.mined += 1
    const parent = this.blocks.at(-1)
    const block: SimulatedBlock = {
      height: this.blocks.length,
      hash: `hash-${this.mined}`,
      parentHash: parent?.hash ?? 'nothing',
      ...this.timeOf(timeMs ?? (parent?.timeMs ?? START_MS) + BLOCK_MS + (this.mined % 7) * 1000),
      transfers,
    }
    this.become([...this.blocks, block])
    return block
  }

  /** Takes away the last blocks and answers them. Those up to `floor` stay. */
  undo(depth: number, floor = 0): readonly SimulatedBlock[] {
    const left = Math.max(Math.min(floor + 1, this.blocks.length), this.blocks.length - depth)
    const gone = this.blocks.slice(left)
    this.become(this.blocks.slice(0, left))
    return gone
  }

  private become(blocks: readonly SimulatedBlock[]): void {
    this.blocks = blocks
    this.past.push(blocks)
  }
}
