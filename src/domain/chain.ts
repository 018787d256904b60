import type { BlockHead, ChainPosition, ChainStep } from './block.js'

/**
 * Number of blocks kept below the last confirmed one, to find the common ancestor if confirmed blocks are replaced. A
 * watcher cannot undo a longer reorganisation.
 */
export const CONFIRMED_BLOCKS_KEPT = 512

/** Whether there is at least one block and each is the parent of the next. */
export function isConsecutive(blocks: readonly BlockHead[]): boolean {
  const isLinked = blocks.every((block, i) => {
    const parent = blocks[i - 1]
    return parent === undefined || isChildOf(block, parent)
  })
  return blocks.length > 0 && isLinked
}

export function isChildOf(block: BlockHead, parent: BlockHead): boolean {
  return block.height === parent.height + 1 && block.parentHash === parent.hash
}

/** Whether blocks may be appended; `position` is null before the first blocks. */
export function mayAppend(position: ChainPosition | null, step: Extract<ChainStep, { type: 'append' }>): boolean {
  const [first] = step.blocks
  if (first === undefined || !isConsecutive(step.blocks)) return false
  if (position === null) return true
  const isBehindConfirmed = position.confirmed === position.tip.height
  return isChildOf(first, position.tip) && (!step.isConfirmed || isBehindConfirmed)
}

/** Whether the blocks are the first unconfirmed ones, by height. */
export function mayConfirm(position: ChainPosition | null, blocks: readonly BlockHead[]): boolean {
  const last = blocks.at(-1)
  if (position === null || last === undefined || !isConsecutive(blocks)) return false
  return blocks[0]?.height === position.confirmed + 1 && last.height <= position.tip.height
}

/** The confirmed height once the blocks above a height are gone. */
export function confirmedAfterUndo(position: ChainPosition, above: number): number {
  return Math.min(position.confirmed, above)
}
