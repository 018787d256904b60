import type { ObservedBlock, WatchedAddresses } from '../domain/block.js'
import type { Network } from '../domain/network.js'

/** How far a network has come, according to one node. */
export interface ChainHead {
  /** Height of the newest block. */
  readonly latest: number
  /**
   * Height of the last confirmed block, by the number of blocks above it or by the node's own finality, as configured.
   * At most `latest`; −1 while there is none.
   */
  readonly confirmed: number
}

/**
 * The port of a real network: queries nodes and checks their answers. Between queries a reader keeps only the health of
 * its endpoints. Every method rejects with `NodeUnavailable` when no endpoint gave a certain answer in time; the caller
 * retries later.
 */
export interface NetworkReader {
  readonly network: Network
  /**
   * Checks that the nodes are of this network and know the configured token with its decimals. Rejects with `WrongNode`
   * when one is not, and with `NodeUnavailable` when none answers.
   */
  verify(): Promise<void>
  head(): Promise<ChainHead>
  /**
   * The block of the present chain at a height with its transfers to watched addresses, complete or not at all: a
   * node's answers about a block must fit together. Null when even the most advanced endpoint has no such block yet.
   */
  block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null>
  /**
   * Consecutive blocks from `from` on, each the parent of the next, for catching up: at least one, at most up to `to`,
   * which must be confirmed. The reader chooses the number.
   */
  blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]>
  /** Each endpoint by its address without credentials, for metrics and the log. */
  endpoints(): readonly EndpointHealth[]
  /** Closes the connections. */
  close(): Promise<void>
}

export interface EndpointHealth {
  /** Scheme, host and port; paths and queries often hold keys. */
  readonly name: string
  /** False while it is skipped after failures. */
  readonly isUsed: boolean
  readonly failures: number
  readonly requests: number
}

/** No endpoint gave a certain answer: refused, too late, too long, rate-limited, or contradictory. Retry later. */
export class NodeUnavailable extends Error {
  override readonly name = 'NodeUnavailable'
}

/** A node is of another network, or its token differs. The operator has to correct the configuration. */
export class WrongNode extends Error {
  override readonly name = 'WrongNode'
}
