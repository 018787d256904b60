import { isDeepStrictEqual } from 'node:util'
import { isUntold } from '../../domain/aside.js'
import type { ObservedBlock, ObservedTransfer, WatchedAddresses } from '../../domain/block.js'
import { BadAnswer } from './answer.js'
import type { ChainNode } from './chain-node.js'

/** A block that a node lacks this far below its own head is one that it no longer keeps. */
const HISTORY_DEPTH = 128

/** What a second node says of confirmed blocks. `none`: it has stopped before them, or no longer keeps them. */
type Opinion = 'agrees' | 'later' | 'none' | { readonly height: number; readonly difference: string }

/** Asks a node about blocks that another has told. `isStalled` is called with the time of its newest block when it lacks one. */
export async function secondOpinion(
  node: ChainNode,
  blocks: readonly ObservedBlock[],
  watched: WatchedAddresses,
  isStalled: (timeMs: number) => boolean,
): Promise<Opinion> {
  const hashes = await node.hashes(blocks[0]?.height ?? 0, blocks.length)
  for (const [i, block] of blocks.entries()) {
    const { height, hash, transfers } = block
    const other = hashes[i] ?? null
    if (other === null) {
      const { latest, timeMs } = await node.head()
      return isStalled(timeMs) || height < latest - HISTORY_DEPTH ? 'none' : 'later'
    }
    if (other !== hash) return { height, difference: `it is ${hash} and ${other}` }
    // A hash says nothing of what a node makes of the block.
    if (transfers.length === 0) continue
    const same = await node.block(height, watched, true)
    if (same?.hash !== hash) throw new BadAnswer(`block ${height} is another one than a moment ago`)
    if (!areAlike(block, same, node)) return { height, difference: 'it has other transfers' }
  }
  return 'agrees'
}

/** Whether two nodes tell the same of a block, as far as both must tell it. */
export function areAlike(one: ObservedBlock, other: ObservedBlock, { mayLack }: Pick<ChainNode, 'mayLack'>): boolean {
  const isTold = (transfer: ObservedTransfer): boolean =>
    mayLack?.(transfer) !== true && !isUntold(one.untold, transfer) && !isUntold(other.untold, transfer)
  const toldByBoth = ({ hash, transfers }: ObservedBlock) => ({ hash, transfers: transfers.filter(isTold) })
  return isDeepStrictEqual(toldByBoth(one), toldByBoth(other))
}
