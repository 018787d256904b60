import { UnfitNode } from './answer.js'

/**
 * Throws `UnfitNode` with the block at which a node's history begins: above the one that is needed, and at the latest at the newest one.
 * An answer of null tells nothing of a block, and ends the search.
 */
export async function throwPruned(
  keeps: (height: number) => Promise<boolean | null>,
  needed: number,
  newestKept: number,
): Promise<void> {
  let [lacked, kept] = [needed, newestKept]
  while (kept - lacked > 1) {
    const middle = Math.floor((lacked + kept) / 2)
    const isKept = await keeps(middle)
    if (isKept === null) return
    if (isKept) kept = middle
    else lacked = middle
  }
  throw new UnfitNode('pruned', `its history begins at block ${kept}, and block ${needed} is needed`, kept)
}
