import { limitOf, NodeFailure } from '../node/answer.js'
import type { TronBlock } from './block.js'
import type { BlockReader } from './block-reader.js'
import type { Side } from './side.js'
import { transactionsToExplain } from './transfers.js'

/** Blocks that are asked for at once. */
const RANGE_BLOCKS = 20

/** Where a block in which contracts ran is looked for, and how far back. */
export interface LookBack {
  readonly blocks: BlockReader
  readonly side: Side
  /** The newest block that is looked at. */
  readonly newest: number
  readonly blocksMax: number
  readonly queriesMax: number
}

const NOBODY = { has: () => false, few: () => [] }

/** The transactions of a block in which a contract may have run. */
export function callsIn(block: TronBlock): readonly string[] {
  return transactionsToExplain(block, NOBODY).map(({ id }) => id)
}

/** The newest block in which a contract may have run, other than `except`; null when none is found in reasonable time. */
export async function newestWithCalls(where: LookBack, except?: number): Promise<TronBlock | null> {
  const lowest = Math.max(1, where.newest - where.blocksMax + 1)
  let [highest, most] = [where.newest, RANGE_BLOCKS]
  for (let queries = 0; queries < where.queriesMax && highest >= lowest; queries += 1) {
    const wanted = Math.min(most, highest - lowest + 1)
    const run = wanted > 1 ? await rangeUpTo(where, highest, wanted) : await aloneAt(where, highest)
    const found = run.findLast((block) => block.height !== except && callsIn(block).length > 0)
    if (found !== undefined) return found
    // A node whose history was switched off lately has the infos of older blocks, so no newer block is passed over.
    if (run.length === 0 && wanted > 1) most = 1
    else highest -= wanted
  }
  return null
}

/** So many blocks up to a height; none where the node does not give them together. */
async function rangeUpTo({ blocks, side }: LookBack, height: number, count: number): Promise<readonly TronBlock[]> {
  try {
    return (await blocks.range(side, height - count + 1, count)).blocks
  } catch (error) {
    if (!(error instanceof NodeFailure) || limitOf(error) !== null) throw error
    return []
  }
}

async function aloneAt({ blocks, side }: LookBack, height: number): Promise<readonly TronBlock[]> {
  const block = await blocks.at(side, height)
  return block === null ? [] : [block]
}
