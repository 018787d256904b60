import type { DepositReport, Sighting } from './deposit.js'
import type { EventOutcome } from './ledger-fact.js'
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

/** The addresses whose transfers matter, as of the moment of each question. */
export interface WatchedAddresses {
  /** Whether an address, in any spelling of its network, belongs to a wallet. */
  has(address: string): boolean
  /** All of them when they are at most `limit`, else null: then a reader asks its node for every transfer. */
  few(limit: number): readonly string[] | null
}

/** A step of the watcher of a network. Steps are taken one at a time, each in one transaction. */
export type ChainStep =
  /**
   * Consecutive blocks behind the tip, or the first ones of all. They are confirmed, and then all before them have to be,
   * or none of them is.
   */
  | {
      readonly type: 'append'
      readonly network: Network
      readonly blocks: readonly ObservedBlock[]
      readonly isConfirmed: boolean
    }
  /**
   * The first blocks that are not confirmed are so now. They were read again, because when they were new a node may have
   * told another tale: what they hold now is what counts.
   */
  | { readonly type: 'confirm'; readonly network: Network; readonly blocks: readonly ObservedBlock[] }
  /** The blocks above a height are not of the chain any more: their deposits are dropped. */
  | { readonly type: 'undo'; readonly network: Network; readonly above: number }
  /** Nothing is known of the chain any more, and the next blocks are the first ones. Deposits stay as they are. */
  | { readonly type: 'forget'; readonly network: Network }

/** Where the watcher of a network is. */
export interface ChainPosition {
  /** The last block. */
  readonly tip: BlockHead
  /** Height of the last confirmed block; one below the oldest block that is kept when none is. */
  readonly confirmed: number
  /** Height of the oldest block that is kept. */
  readonly oldest: number
}

/** What a step said of one deposit, and how it was taken. */
export interface ChainReport extends Pick<Sighting, 'txHash' | 'index'> {
  readonly report: DepositReport
  readonly outcome: EventOutcome
}

/** Why a step was not taken; nothing has changed then. */
export type ChainRefusal =
  /** The blocks do not follow what is there. */
  | 'not_next'
  /** A block that was to be confirmed is another than the one that is there. */
  | 'not_same'
  /** The block that would be the tip then is not kept. */
  | 'no_ancestor'

/** How the store answers a step. */
export type ChainOutcome =
  | {
      readonly status: 'applied'
      /** In the order in which they took effect. */
      readonly reports: readonly ChainReport[]
      /** Transfers that a block, read again, was found to hold, not to hold, or to hold with another value. */
      readonly repaired: number
      /** Confirmed blocks that disappeared. */
      readonly confirmedBlocksUndone: number
      /** Confirmed deposits that disappeared, with their blocks or from them. */
      readonly confirmedDepositsDropped: number
    }
  | { readonly status: 'refused'; readonly reason: ChainRefusal }
