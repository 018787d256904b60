import type { ObservedBlock, WatchedAddresses } from '../domain/block.js'
import type { Network } from '../domain/network.js'

export type { WatchedAddresses }

/** How far a network has come, as one node tells it. */
export interface ChainHead {
  /** Height of the newest block. */
  readonly latest: number
  /**
   * Height up to which blocks are confirmed: by the number of blocks above them or by the node's own finality, as
   * configured. At most `latest`; −1 while there is none.
   */
  readonly confirmed: number
}

/**
 * The port of a real network: asks nodes, and judges what they answer. A reader keeps nothing between two questions but
 * the health of its endpoints. Every method rejects with `NodeUnavailable` when no endpoint gave a certain answer in
 * time; the caller asks again later.
 */
export interface NetworkReader {
  readonly network: Network
  /**
   * Asks the nodes whether they are of this network and know the configured token with its decimals. Rejects with
   * `WrongNode` when one says otherwise, and with `NodeUnavailable` when none answers.
   */
  verify(): Promise<void>
  head(): Promise<ChainHead>
  /**
   * The block of the present chain at a height with its transfers to watched addresses, complete or not at all: what a
   * node answers about one block must fit together. Null when the endpoint that knows most has no such block yet.
   */
  block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null>
  /**
   * Consecutive blocks from `from` on, each the parent of the next, to catch up with: at least one, at most up to `to`,
   * as many as the reader finds good. `to` must be confirmed.
   */
  blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]>
  /** Each endpoint by its address without credentials, for metrics and the log. */
  endpoints(): readonly EndpointHealth[]
  /** Ends the connections. */
  close(): Promise<void>
}

export interface EndpointHealth {
  /** Scheme, host and port; paths and queries often hold keys. */
  readonly name: string
  /** False while it is left alone after failures. */
  readonly isUsed: boolean
  readonly failures: number
  readonly requests: number
}

/** No endpoint gave a certain answer: refused, too late, too long, limited, or parts that disagree. Asking later is right. */
export class NodeUnavailable extends Error {
  override readonly name = 'NodeUnavailable'
}

/** A node is not of the configured network, or its token is another. The operator has to correct the configuration. */
export class WrongNode extends Error {
  override readonly name = 'WrongNode'
}
