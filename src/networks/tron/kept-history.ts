import { UnfitNode } from '../node/answer.js'
import type { BlockReader } from './block-reader.js'
import type { SolidSide } from './solid-side.js'

/** A solidified block that a node lacks this far below its own head is not one that it will have soon. */
const HISTORY_DEPTH = 100

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
  let [lacked, kept] = [height, head]
  while (kept - lacked > 1) {
    const middle = Math.floor((lacked + kept) / 2)
    if (await keeps(middle)) kept = middle
    else lacked = middle
  }
  throw new UnfitNode('pruned', `its history begins at block ${kept}, and block ${height} is needed`, kept)
}
