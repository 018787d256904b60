import { ForgottenBlock, NodeFailure, UnfitNode } from '../node/answer.js'
import { throwPruned } from '../node/pruned-below.js'
import type { BlockReader } from './block-reader.js'
import { callsIn, newestWithCalls } from './block-with-calls.js'
import { type InfoReader, NO_HISTORY, NoInfos } from './info-reader.js'
import type { SolidSide } from './solid-side.js'

/** A solidified block that a node lacks this far below its own head is not one that it will have soon. */
const HISTORY_DEPTH = 100

/** How far another block with calls of contracts is looked for. Main networks have some in each block. */
const LOOK_BACK = { blocksMax: 100, queriesMax: 6 }

const NOBODY = { has: () => false, few: () => [] }

/**
 * Throws `ForgottenBlock` when a node that has no infos of a block has none of the newest other one with calls of contracts,
 * either: then it keeps no history. Otherwise it is a matter of this block.
 */
export async function explainNoInfos(
  blocks: BlockReader,
  infos: InfoReader,
  solid: SolidSide,
  { height, message }: NoInfos,
): Promise<void> {
  try {
    const { side } = solid
    const { height: newest } = await solid.look()
    const other = await newestWithCalls({ ...LOOK_BACK, blocks, side, newest }, height)
    if (other !== null) await infos.infos(side, other, callsIn(other), NOBODY, true)
  } catch (error) {
    if (error instanceof NoInfos) throw new ForgottenBlock(`${NO_HISTORY} (${message})`)
    // Then nothing is known but that this block has none.
    if (!(error instanceof NodeFailure)) throw error
  }
}

/** Throws `UnfitNode` when the node's history begins above a height that is far below its solidified head. */
export async function explainMissing(blocks: BlockReader, solid: SolidSide, height: number): Promise<void> {
  const keeps = async (kept: number): Promise<boolean> => {
    try {
      return (await blocks.at(solid.side, kept)) !== null
    } catch (error) {
      // A lite node says so.
      if (error instanceof UnfitNode) return false
      throw error
    }
  }
  if (await keeps(height)) return
  const { height: head } = await solid.look()
  if (height > head - HISTORY_DEPTH || !(await keeps(head))) return
  await throwPruned(keeps, height, head)
}
