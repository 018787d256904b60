import type { ObservedBlock } from '../domain/block.js'

/** Transfers in one step. All their wallets take one turn together, and one transaction writes everything. */
const STEP_TRANSFERS_MAX = 500
/** Blocks in one step. */
const STEP_BLOCKS_MAX = 250

/**
 * Divides consecutive blocks into one portion per step, in order. A block is never divided: one with more transfers
 * than the limit is a portion of its own. The network bounds it.
 */
export function portionsOf(
  blocks: readonly ObservedBlock[],
  transfersMax: number = STEP_TRANSFERS_MAX,
  blocksMax: number = STEP_BLOCKS_MAX,
): readonly (readonly ObservedBlock[])[] {
  const portions: ObservedBlock[][] = []
  let transfers = 0
  for (const block of blocks) {
    const last = portions.at(-1)
    transfers += block.transfers.length
    if (last === undefined || last.length >= blocksMax || transfers > transfersMax) {
      portions.push([block])
      transfers = block.transfers.length
    } else last.push(block)
  }
  return portions
}
