import type { BlockAside, DepositAside, NameInNetwork, UntoldTransactions } from './aside.js'
import type { DepositReport, Sighting } from './deposit.js'
import type { EventOutcome } from './ledger-fact.js'
import type { Network } from './network.js'
import { type BlockTime, isWithin, receivedAtOf } from './received-at.js'

/** The identity of a block, and its parent. */
export interface BlockHead {
  readonly height: number
  /** As the network's explorers write it. */
  readonly hash: string
  readonly parentHash: string
  /** Its own timestamp, Unix milliseconds. */
  readonly timeMs: number
}

/**
 * A transfer in a block. `index` distinguishes the transfers of a transaction and stays the same when another block
 * includes the transaction: 0 is the transaction's own value, n is the n-th log of its receipt, counted from 1, and from
 * 2³¹ on it is a transfer of the native coin by a contract, where those are read.
 */
export type ObservedTransfer = Pick<Sighting, 'txHash' | 'index' | 'toAddress' | 'currency' | 'amount'>

/** A block with its transfers to watched addresses, each once, in block order. */
export interface ObservedBlock extends BlockHead, BlockTime {
  readonly transfers: readonly ObservedTransfer[]
  /** What these transactions send by contracts is missing from the transfers. None when absent. */
  readonly untold?: UntoldTransactions
  /**
   * How many of the transfers nobody could see when the block was new, because a contract decided on them and new blocks
   * are not searched for that. None when absent.
   */
  readonly unannounced?: number
}

/** The addresses to watch, as of each call. */
export interface WatchedAddresses {
  /** Whether an address, in any spelling of its network, belongs to a wallet. */
  has(address: string): boolean
  /** All addresses if there are at most `limit`, else null; a reader then requests every transfer from its node. */
  few(limit: number): readonly string[] | null
}

/** A step of a network's watcher. Steps are applied one at a time, each in one transaction. */
export type ChainStep =
  /**
   * Consecutive blocks after the tip, or the first blocks of all. They are either all unconfirmed, or all confirmed;
   * confirmed ones require that all blocks before them are confirmed.
   */
  | {
      readonly type: 'append'
      readonly network: Network
      readonly blocks: readonly ObservedBlock[]
      readonly isConfirmed: boolean
      /** When their reader had answered, Unix milliseconds. */
      readonly seenAtMs: number
    }
  /**
   * The first unconfirmed blocks are now confirmed. They were read again, because a node may have reported new blocks
   * incompletely; what they contain now counts.
   */
  | { readonly type: 'confirm'; readonly network: Network; readonly blocks: readonly ObservedBlock[] }
  /** The blocks above a height have left the chain; their deposits are dropped. */
  | { readonly type: 'undo'; readonly network: Network; readonly above: number }
  /** Forgets all blocks, so that the next ones are the first. Deposits stay as they are. */
  | { readonly type: 'forget'; readonly network: Network }
  /** No node can give a block, for which the network waits. */
  | { readonly type: 'unreadable'; readonly network: Network; readonly aside: BlockAside }
  /**
   * The network goes on without a block that no node can give: it is the first one that is not confirmed, or the one after
   * the tip, and counts as confirmed. Its deposits are not known; those that were read from it before stay pending.
   */
  | { readonly type: 'set_aside'; readonly network: Network; readonly block: BlockHead; readonly aside: BlockAside }
  /**
   * A block that was set aside has been read: its deposits are confirmed. What is untold of it stays set aside, unless it `isSettled`:
   * somebody has looked at it.
   */
  | {
      readonly type: 'recover'
      readonly network: Network
      readonly blocks: readonly [ObservedBlock]
      readonly isSettled?: boolean
    }
  /** Deposits that were set aside are recorded, as far as they still are aside. */
  | { readonly type: 'retry'; readonly network: Network; readonly deposits: readonly DepositAside[] }

/** The deposits that a step brings. */
export function sightingsOf(step: ChainStep): readonly Sighting[] {
  if (step.type === 'retry') return step.deposits.map(({ sighting }) => sighting)
  if (!('blocks' in step)) return []
  const seenAtMs = step.type === 'append' ? step.seenAtMs : null
  return step.blocks.flatMap((block) => sightingsIn(step.network, block, seenAtMs))
}

/** The deposits that a block brings. `seenAtMs`: when it was first seen; null when it is read again. */
export function sightingsIn(network: Network, block: ObservedBlock, seenAtMs: number | null): readonly Sighting[] {
  const receivedAt = receivedAtOf(block, seenAtMs)
  return block.transfers.map(({ txHash, index, toAddress, currency, amount }: ObservedTransfer) => {
    return { network, txHash, index, toAddress, currency, amount, receivedAt }
  })
}

/**
 * A sighting of a deposit that may be known. If what is known is of the block's time, it was received then: neither a second
 * reading nor another block of the same second makes it later.
 */
export function sightedAgain(block: BlockTime, sighting: Sighting, known: Sighting | undefined): Sighting {
  if (known === undefined || !isWithin(block, known.receivedAt)) return sighting
  return { ...sighting, receivedAt: known.receivedAt }
}

/** Where the watcher of a network is. */
export interface ChainPosition {
  /** The last block. */
  readonly tip: BlockHead
  /** Height of the last confirmed block; one below the oldest kept block if none is confirmed. */
  readonly confirmed: number
  /** Height of the oldest block that is kept. */
  readonly oldest: number
}

/** What a step reported about one deposit, and the outcome. */
export interface ChainReport extends Pick<Sighting, 'txHash' | 'index'> {
  readonly report: DepositReport
  readonly outcome: EventOutcome
}

/** Why a step was refused. A refused step changes nothing. */
export type ChainRefusal =
  /** The blocks do not follow the recorded ones. */
  | 'not_next'
  /** A block to be confirmed differs from the recorded one. */
  | 'not_same'
  /** The block that would become the tip is not kept any more. */
  | 'no_ancestor'
  /** No such block is set aside. */
  | 'not_aside'

/** How the store answers a step. */
export type ChainOutcome =
  | {
      readonly status: 'applied'
      /** In the order in which they took effect. */
      readonly reports: readonly ChainReport[]
      /** Transfers that the second reading of a block added, removed or changed. */
      readonly repaired: number
      /** Confirmed blocks that left the chain. */
      readonly confirmedBlocksUndone: number
      /** Confirmed deposits that were dropped, with their blocks or from them. */
      readonly confirmedDepositsDropped: number
      /** Deposits that wait until their wallets are settled: nothing is reported of them yet. */
      readonly waiting: readonly NameInNetwork[]
    }
  | { readonly status: 'refused'; readonly reason: ChainRefusal }

/**
 * Number of blocks kept below the last confirmed one, to find the common ancestor if confirmed blocks are replaced. A
 * watcher cannot undo a longer reorganisation.
 */
export const CONFIRMED_BLOCKS_KEPT = 512

/** Whether there is at least one block and each is the parent of the next. */
export function isConsecutive(blocks: readonly BlockHead[]): boolean {
  const isLinked = blocks.every((block, i) => {
    const parent = blocks[i - 1]
    return parent === undefined || isChildOf(block, parent)
  })
  return blocks.length > 0 && isLinked
}

export function isChildOf(block: BlockHead, parent: BlockHead): boolean {
  return block.height === parent.height + 1 && block.parentHash === parent.hash
}

/** Whether blocks may be appended; `position` is null before the first blocks. */
export function mayAppend(
  position: ChainPosition | null,
  step: { readonly blocks: readonly BlockHead[]; readonly isConfirmed: boolean },
): boolean {
  const [first] = step.blocks
  if (first === undefined || !isConsecutive(step.blocks)) return false
  if (position === null) return true
  const isBehindConfirmed = position.confirmed === position.tip.height
  return isChildOf(first, position.tip) && (!step.isConfirmed || isBehindConfirmed)
}

/** How a block is set aside: in place of the first unconfirmed one, as the next one, or not at all. */
export function placeOfAside(position: ChainPosition | null, block: BlockHead): 'confirm' | 'append' | null {
  if (mayConfirm(position, [block])) return 'confirm'
  return mayAppend(position, { blocks: [block], isConfirmed: true }) ? 'append' : null
}

/** Whether the blocks are the first unconfirmed ones, by height. */
export function mayConfirm(position: ChainPosition | null, blocks: readonly BlockHead[]): boolean {
  const last = blocks.at(-1)
  if (position === null || last === undefined || !isConsecutive(blocks)) return false
  return blocks[0]?.height === position.confirmed + 1 && last.height <= position.tip.height
}

/** The confirmed height once the blocks above a height are gone. */
export function confirmedAfterUndo(position: ChainPosition, above: number): number {
  return Math.min(position.confirmed, above)
}
