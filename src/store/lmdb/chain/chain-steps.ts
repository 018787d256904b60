import type { ChainStep } from '../../../domain/block.js'
import type { Network } from '../../../domain/network.js'
import type { StepAside } from '../../commands.js'
import { answeredNow } from '../../rules/asking.js'
import { type TakenStep, takeStep as taking } from '../../rules/chain-step.js'
import type { BlockFacts, ChainWork } from '../../rules/chain-work.js'
import type { Choices } from '../../rules/match-deposit.js'
import type { Commit, Reader } from '../commit/commit.js'
import { type DepositRow, findDeposit } from '../deposits/deposit-rows.js'
import type { DepositRecorder } from '../deposits/deposits.js'
import { asideOf, findBlockAside } from './aside-rows.js'
import { blocksAbove, blocksOf, findBlock } from './block-rows.js'

/*
 * The steps of the watchers, in LMDB: the facts and effects of `rules/chain-step.ts`.
 */

/**
 * Takes a step in a commit; null when it has only settled a piece of what the step meets. Throws `Unsettled` when some of its deposits
 * meet too much behind others.
 */
export function takeStep(
  commit: Commit,
  step: ChainStep,
  deposits: DepositRecorder,
  aside: StepAside | undefined,
): TakenStep | null {
  const choices = deposits.judge.choices()
  const taken = answeredNow(taking(workOn(commit, step.network, deposits, choices), step, aside))
  choices.assertSettled()
  return taken
}

function workOn(commit: Commit, network: Network, deposits: DepositRecorder, choices: Choices): ChainWork<DepositRow> {
  return {
    nowMs: commit.nowMs,
    facts: factsAt(commit, network),
    blocks: blocksOf(commit, network),
    aside: asideOf(commit, network),
    deposits: {
      judge: deposits.judge,
      settle: (sightings) => deposits.settle(commit, sightings),
      find: ({ txHash, index }) => findDeposit(commit, { network, txHash, index }),
      record: (report, sighting) => deposits.record(commit, { type: 'deposit', report, sighting }, choices),
    },
  }
}

export function factsAt(at: Reader, network: Network): BlockFacts {
  return {
    blocksAt: (heights) => heights.map((height) => findBlock(at, network, height)).filter((row) => row !== undefined),
    blocksAbove: (height) => blocksAbove(at, network, height),
    blockAside: (height) => findBlockAside(at, network, height),
    addressesOf: (names) => names.flatMap((name) => findDeposit(at, { network, ...name })?.deposit.toAddress ?? []),
  }
}
