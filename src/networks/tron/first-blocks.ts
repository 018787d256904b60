import type { Clock } from '../../clock.js'
import { WrongNode } from '../network-reader.js'
import type { BlockReader } from './block-reader.js'
import type { Side } from './side.js'

/** So long the first block of a side is not asked for again by a check that begins anew, since another call of it failed. */
const KEPT_MS = 60_000

/**
 * The first blocks of a node, which show of which network it is. A check of several calls, at a node that leaves some without an
 * answer, would hardly ever end if it began with the first one each time.
 */
export class FirstBlocks {
  private readonly rightAtMs = new Map<Side, number>()

  constructor(
    private readonly blocks: Pick<BlockReader, 'firstId'>,
    private readonly genesisId: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Rejects with `WrongNode` when the first block of a side is another one. */
  async demand(side: Side): Promise<void> {
    const atMs = this.rightAtMs.get(side)
    if (atMs !== undefined && Math.abs(this.clock.now() - atMs) < KEPT_MS) return
    const id = await this.blocks.firstId(side)
    if (id !== this.genesisId) throw new WrongNode(`its first block is ${id}, not ${this.genesisId}`)
    this.rightAtMs.set(side, this.clock.now())
  }

  /** A check has ended, so the next one is of another time. */
  forget(): void {
    this.rightAtMs.clear()
  }
}
