import type { BlockAside, DepositAside, NameInNetwork } from '../../domain/aside.js'
import type { BlockHead, ChainPosition } from '../../domain/block.js'
import type { Deposit, DepositReport, Sighting } from '../../domain/deposit.js'
import type { Awaitable } from '../reading.js'
import type { DepositJudge, RecordedDeposit } from './judge-report.js'

/** A block with the deposits that it holds: that live and die with it. */
export interface BlockRow extends BlockHead {
  readonly deposits: readonly NameInNetwork[]
}

/** What a store knows of a deposit, as far as a step asks for it. */
export interface KnownDeposit {
  readonly deposit: Deposit
}

/** The blocks of a network, to find out what a step is about. */
export interface BlockFacts {
  /** Those that are stored, lowest first. */
  blocksAt(heights: readonly number[]): Awaitable<readonly BlockRow[]>
  /** Highest first, as they were built on one another. */
  blocksAbove(height: number): Awaitable<readonly BlockRow[]>
  blockAside(height: number): Awaitable<BlockAside | undefined>
  /** The addresses to which those of these deposits went that are known. */
  addressesOf(names: readonly NameInNetwork[]): Awaitable<readonly string[]>
}

/** The blocks of a network, and which of them holds a deposit. */
export interface BlockWork {
  position(): Awaitable<ChainPosition | undefined>
  /** Enters a block, or another one in its place. `held`: the deposits that it holds, in order; each was given to `hold`. */
  put(block: BlockHead, held: readonly NameInNetwork[]): void
  /** `blocks`: what `blocksAbove` answered. Their deposits are held by no block then. */
  removeAbove(height: number, blocks: readonly BlockRow[]): void
  /** Removes blocks below a height; an engine may leave some for the next step. `brought`: blocks that this step has brought. */
  removeBelow(height: number, brought: number): void
  putConfirmed(height: number): void
  /** Forgets everything that is known of the blocks. The network is watched from now on. */
  forget(): void
  /** Height of the block that holds a deposit. */
  holderOf(name: NameInNetwork): number | undefined
  /** Lets a block hold a deposit that no other block holds, as its `place`-th. */
  hold(name: NameInNetwork, height: number, place: number): void
  /** No block holds the deposit any more. */
  release(name: NameInNetwork): void
}

/** What is set aside of a network. */
export interface AsideWork {
  putBlock(aside: BlockAside): void
  endBlock(height: number): void
  /** Blocks of these heights were read: none of them is waited for. */
  endWaiting(from: number, to: number): void
  /** Blocks above a height have left the chain, with what was set aside of them. */
  endAbove(height: number): void
  /** The blocks are forgotten: none is set aside any more, and no deposit is of one. */
  forget(): void
  /** Those that were aside when the step began. */
  deposits(): Awaitable<readonly DepositAside[]>
  deposit(name: NameInNetwork): Awaitable<DepositAside | undefined>
  putDeposit(aside: DepositAside): Awaitable<void>
  endDeposit(name: NameInNetwork): void
}

/** What a step of a network reads and writes, in the transaction that takes it. */
export interface ChainWork<Row extends KnownDeposit> {
  /** Unix ms. */
  readonly nowMs: number
  readonly facts: Omit<BlockFacts, 'addressesOf'>
  readonly blocks: BlockWork
  readonly aside: AsideWork
  readonly deposits: DepositWork<Row>
}

/** The deposits that a step reports on. */
export interface DepositWork<Row extends KnownDeposit> {
  readonly judge: DepositJudge
  /** Settles a bounded piece of what the choices for these deposits will meet; answers those for which more is left. */
  settle(sightings: readonly Sighting[]): Awaitable<ReadonlySet<Sighting>>
  find(name: NameInNetwork): Awaitable<Row | undefined>
  record(report: DepositReport, sighting: Sighting): Awaitable<RecordedDeposit>
  /** Ends the recording of a step. Throws `Unsettled` when some of its deposits meet too much behind others. */
  finish(): Awaitable<void>
}
