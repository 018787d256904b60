import type { BlockHead, ObservedBlock, WatchedAddresses } from '../../domain/block.js'
import { WrongNode } from '../network-reader.js'
import { MissingBlock, NodeFailure } from './answer.js'
import type { ChainNode } from './chain-node.js'

/*
 * What one node says of a confirmed block that none has given when it was asked in the usual way.
 */

const NOBODY: WatchedAddresses = { has: () => false, few: () => [] }

/** The block, in one way or the other. */
export async function anyway(node: ChainNode, height: number, watched: WatchedAddresses): Promise<ObservedBlock> {
  const single = await node.block(height, watched, true).catch(ignoreFailure)
  if (single !== null) return single
  const [first] = await node.blocks(height, height, watched)
  if (first?.height !== height) throw new MissingBlock(`the node does not have block ${height}`)
  return first
}

/** The hash of the block and that of its parent; null where the node does not tell them. */
export async function linkAt(node: ChainNode, height: number): Promise<Pick<BlockHead, 'hash' | 'parentHash'> | null> {
  const [parent = null] = height === 0 ? [''] : await node.hashes(height - 1, 1).catch(nothingTold)
  const [own = null] = await node.hashes(height, 1).catch(nothingTold)
  const next = own === null ? await node.block(height + 1, NOBODY, true).catch(ignoreFailure) : null
  const hash = own ?? next?.parentHash ?? null
  return hash === null || parent === null ? null : { hash, parentHash: parent }
}

/** Null for what a node failed to answer; any other error is thrown. */
export function ignoreFailure(error: unknown): null {
  if (error instanceof NodeFailure || error instanceof WrongNode) return null
  throw error
}

function nothingTold(error: unknown): readonly null[] {
  ignoreFailure(error)
  return []
}
