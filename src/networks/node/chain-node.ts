import type { ObservedBlock, ObservedTransfer, WatchedAddresses } from '../../domain/block.js'
import type { ChainHead } from '../network-reader.js'
import type { NodeFact } from './node-fact.js'

/** The head that a node has. */
export interface NodeHead extends ChainHead {
  /** The time of its newest block, Unix milliseconds. */
  readonly timeMs: number
  /** How many of its blocks wait for their confirmation although they ought to be confirmed; null or absent when none does. */
  readonly unconfirmed?: number | null
}

/** The client of one node, for a kind of network. Its queries reject with `NodeFailure`. */
export interface ChainNode {
  /**
   * Rejects with `WrongNode` when the node is of another network, or none of its tokens is what the settings say. It is called
   * before the first query to a node, and again after every failure and once the reader distrusts its nodes.
   */
  check(): Promise<void>
  /** What of the settings it has shown to be wrong and therefore does not read, while it reads the rest; null or absent for nothing. */
  readonly flaw?: string | null
  /** The head that the node has. */
  head(): Promise<NodeHead>
  /** The time of the block at a height, Unix ms; null when the node does not have it, or no longer. */
  timeOf(height: number): Promise<number | null>
  /** The block at a height, null when the node has none. `isConfirmed`: some node has reported the height as confirmed. */
  block(height: number, watched: WatchedAddresses, isConfirmed: boolean): Promise<ObservedBlock | null>
  /** The first of these blocks that the node has, each the parent of the next; none when it does not have the first. */
  fresh(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]>
  /** The first of these blocks, each the parent of the next: at least one, and as many as the node returns at once. */
  blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]>
  /** Finds out what the node is and offers. Rejects like `check`. */
  examine(nowMs: number, headAgeMaxMs: number): Promise<readonly NodeFact[]>
  /** The hashes of confirmed blocks from a height on, in order; null for those that the node does not have. */
  hashes(from: number, count: number): Promise<readonly (string | null)[]>
  /** Whether a sound node may not tell a transfer, so that two do not disagree where one of them does. None when absent. */
  mayLack?(transfer: ObservedTransfer): boolean
}
