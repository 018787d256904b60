import type { NameInNetwork } from '../../../domain/aside.js'
import type { ChainStep } from '../../../domain/block.js'
import type { Network } from '../../../domain/network.js'
import type { StepAside } from '../../commands.js'
import { answeredNow } from '../../rules/asking.js'
import { type TakenStep, takeStep as taking } from '../../rules/chain-step.js'
import type { BlockFacts, BlockRow, ChainWork } from '../../rules/chain-work.js'
import { addressesOf as addressesAsked, depositsOf as depositsAsked } from '../../rules/step-scope.js'
import type { Commit, Reader } from '../commit/commit-loop.js'
import { type DepositRow, findDeposit } from '../deposits/deposit-rows.js'
import type { DepositRecorder } from '../deposits/deposits.js'
import {
  endAsideAbove,
  endBlockAside,
  endWaiting,
  findBlockAside,
  findDepositAside,
  forgetAside,
  putBlockAside,
  putDepositAside,
} from './aside-rows.js'
import {
  blocksBelow,
  findBlock,
  forgetChain,
  getBlock,
  holdDeposit,
  holderOf,
  positionOf,
  putBlock,
  putConfirmed,
  releaseDeposit,
  removeBlock,
} from './block-rows.js'

/*
 * The steps of the watchers, in LMDB: the facts and effects of `rules/chain-step.ts`.
 */

/** The most blocks that one step removes, beyond as many as it brings. */
const PRUNED_MAX = 256

/** The addresses, each once, whose deposits a step reports on. */
export function addressesOf(at: Reader, step: ChainStep, deposits: DepositRecorder): readonly string[] {
  return answeredNow(addressesAsked(factsAt(at, step.network), step, (sighting) => deposits.flawOf(sighting)))
}

/** The deposits, each once, that a step reports on. */
export function depositsOf(at: Reader, step: ChainStep, deposits: DepositRecorder): readonly NameInNetwork[] {
  return answeredNow(depositsAsked(factsAt(at, step.network), step, (sighting) => deposits.flawOf(sighting)))
}

/** Takes a step in a commit; null when it has only settled a piece of what the step meets. */
export function takeStep(
  commit: Commit,
  step: ChainStep,
  deposits: DepositRecorder,
  aside: StepAside | undefined,
): TakenStep | null {
  return answeredNow(taking(workOn(commit, step.network, deposits), step, aside))
}

function factsAt(at: Reader, network: Network): BlockFacts {
  return {
    blocksAt: (heights) => heights.map((height) => findBlock(at, network, height)).filter((row) => row !== undefined),
    blocksAbove: (height) => blocksAbove(at, network, height),
    blockAside: (height) => findBlockAside(at, network, height),
    addressesOf: (names) => names.flatMap((name) => findDeposit(at, { network, ...name })?.deposit.toAddress ?? []),
  }
}

function workOn(commit: Commit, network: Network, deposits: DepositRecorder): ChainWork<DepositRow> {
  return {
    ...factsAt(commit, network),
    nowMs: commit.nowMs,
    flawOf: (sighting) => deposits.flawOf(sighting),
    conflictWith: (known, sighting) => deposits.conflictWith(known, sighting),
    settle: (sightings) => deposits.settle(commit, sightings),
    deposit: ({ txHash, index }) => findDeposit(commit, { network, txHash, index }),
    record: (report, sighting) => deposits.record(commit, { type: 'deposit', report, sighting }),
    position: () => positionOf(commit, network),
    putBlock: ({ height, hash, parentHash, timeMs }, held) =>
      putBlock(commit, network, { height, hash, parentHash, timeMs, deposits: held }),
    removeAbove(_height, blocks) {
      for (const row of blocks) removeBlock(commit, network, row)
    },
    removeBelow(height, brought) {
      for (const row of blocksBelow(commit, network, height, brought + PRUNED_MAX)) removeBlock(commit, network, row)
    },
    putConfirmed: (height) => putConfirmed(commit, network, height),
    forget() {
      forgetChain(commit, network)
      forgetAside(commit, network)
    },
    holderOf: (name) => holderOf(commit, network, name),
    hold: (name, height) => holdDeposit(commit, network, name, height),
    release(name) {
      const holder = holderOf(commit, network, name)
      if (holder !== undefined) leaveBlock(commit, network, name, holder)
      releaseDeposit(commit, network, name)
    },
    putBlockAside: (aside) => putBlockAside(commit, aside),
    endBlockAside: (height) => endBlockAside(commit, network, height),
    endWaiting: (from, to) => endWaiting(commit, network, from, to),
    endAsideAbove: (height) => endAsideAbove(commit, network, height),
    depositAside: ({ txHash, index }) => findDepositAside(commit, { network, txHash, index }),
    putDepositAside: (aside) => putDepositAside(commit, aside),
  }
}

/** Takes a deposit out of the row of the block that holds it. */
function leaveBlock(commit: Commit, network: Network, { txHash, index }: NameInNetwork, height: number): void {
  const row = getBlock(commit, network, height)
  const deposits = row.deposits.filter((one) => one.txHash !== txHash || one.index !== index)
  putBlock(commit, network, { ...row, deposits })
}

/** Highest first, as they were built on one another. */
function blocksAbove(at: Reader, network: Network, above: number): readonly BlockRow[] {
  const rows: BlockRow[] = []
  const tip = positionOf(at, network)?.tip.height ?? -1
  for (let height = tip; height > above; height -= 1) {
    const row = findBlock(at, network, height)
    if (row === undefined) break
    rows.push(row)
  }
  return rows
}
