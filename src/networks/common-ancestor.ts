import type { BlockHead, ChainPosition } from '../domain/block.js'
import type { ChainPort } from '../store/chain.js'
import { NetworkProblem, type NetworkReader, NodeUnavailable } from './network-reader.js'

/** The chain has none of the recorded blocks, so they cannot be undone one by one. */
export class NoCommonAncestor extends NetworkProblem {
  override readonly name = 'NoCommonAncestor'

  constructor(message: string) {
    super('replaced', message)
  }
}

/**
 * Height of the last recorded block that is still on the chain. It is found by walking back from `block`, which is on
 * the chain and does not fit the recorded blocks. Each further block must be the parent of the one before, so that
 * nodes on different branches do not make up a third one. Null when `isStopping` has become true.
 *
 * Rejects with `NodeUnavailable`, and with `NoCommonAncestor` when even the oldest recorded block is not on the chain.
 */
export async function commonAncestor(
  reader: NetworkReader,
  chain: Pick<ChainPort, 'blockAt' | 'watched'>,
  position: ChainPosition,
  block: BlockHead,
  isStopping: () => boolean,
): Promise<number | null> {
  const { network } = reader
  const watched = await chain.watched(network)
  let child = block
  let isOldestThere = false
  while (!isStopping()) {
    const height = child.height - 1
    const kept = await chain.blockAt(network, height)
    if (kept === undefined) throw lost(position)
    if (kept.hash === child.parentHash) return height
    // Confirmed blocks are many: before walking through them, make sure that there is an ancestor to find.
    if (height <= position.confirmed && !isOldestThere) {
      // A node of another chain may have come behind an address without a failure, and forks share their first blocks.
      reader.distrust()
      const [oldest, present] = await Promise.all([
        chain.blockAt(network, position.oldest),
        reader.block(position.oldest, watched),
      ])
      if (present === null) throw new NodeUnavailable(`no node has block ${position.oldest}`)
      if (present.hash !== oldest?.hash) throw lost(position)
      isOldestThere = true
    }
    const parent = await reader.block(height, watched)
    if (parent?.hash !== child.parentHash) throw new NodeUnavailable(`nodes disagree about block ${height}`)
    child = parent
  }
  return null
}

function lost({ oldest, tip }: ChainPosition): NoCommonAncestor {
  return new NoCommonAncestor(
    `the network has none of the blocks ${oldest} to ${tip.height} that were watched; it was reset, or the node is of another one`,
  )
}
