import type { ObservedBlock } from '../domain/block.js'

/** Transfers of one step. All their wallets take their turn together, and all is written in one transaction. */
const STEP_TRANSFERS_MAX = 500
/** Blocks of one step. */
const STEP_BLOCKS_MAX = 250

/**
 * Consecutive blocks, divided in their order for one step each. A block is never divided: one with more transfers than the
 * limit, which the network bounds, is a portion of its own.
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
