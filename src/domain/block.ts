import type { Sighting } from './deposit.js'
import type { Network } from './network.js'

/** What a block is known by, and what it builds on. */
export interface BlockHead {
  readonly height: number
  /** As the network's explorers write it. */
  readonly hash: string
  readonly parentHash: string
  /** Its own timestamp, Unix milliseconds. */
  readonly timeMs: number
}

/**
 * A transfer of a block to an address. `index` tells the transfers of a transaction apart and stays the same when another
 * block includes the transaction: 0 is the transaction's own value, n is the n-th log of its receipt, counted from 1.
 */
export type ObservedTransfer = Pick<Sighting, 'txHash' | 'index' | 'toAddress' | 'currency' | 'amount'>

/** A block with the transfers to watched addresses, each once, in the order of the block. */
export interface ObservedBlock extends BlockHead {
  readonly transfers: readonly ObservedTransfer[]
}

/** A step of the watcher of a network. Steps are taken one at a time, each in one transaction. */
export type ChainStep =
  /** Consecutive blocks behind the last one; `confirmed` is the height up to which blocks are confirmed. */
  | {
      readonly type: 'append'
      readonly network: Network
      readonly blocks: readonly ObservedBlock[]
      readonly confirmed: number
    }
  /** Blocks up to a height are confirmed, and so are their deposits. */
  | { readonly type: 'confirm'; readonly network: Network; readonly height: number }
  /** The blocks above a height are not of the chain any more: their deposits are dropped. */
  | { readonly type: 'undo'; readonly network: Network; readonly above: number }
