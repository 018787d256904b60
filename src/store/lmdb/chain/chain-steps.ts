import type { Network } from '../../../domain/network.js'
import type { BlockFacts, ChainWork } from '../../rules/chain-work.js'
import type { DepositJudge } from '../../rules/judge-report.js'
import type { Commit, Reader } from '../commit/commit.js'
import { type DepositRow, findDeposit } from '../deposits/deposit-rows.js'
import { recordDeposit, settleDeposits } from '../deposits/deposits.js'
import { asideOf, findBlockAside } from './aside-rows.js'
import { blocksAbove, blocksOf, findBlock } from './block-rows.js'

/*
 * The steps of the watchers, in LMDB: the facts and effects of `rules/chain-step.ts`.
 */

export function chainWorkOn(commit: Commit, network: Network, judge: DepositJudge): ChainWork<DepositRow> {
  const choices = judge.choices()
  return {
    nowMs: commit.nowMs,
    facts: factsAt(commit, network),
    blocks: blocksOf(commit, network),
    aside: asideOf(commit, network),
    deposits: {
      judge,
      settle: (sightings) => settleDeposits(commit, judge, sightings),
      find: ({ txHash, index }) => findDeposit(commit, { network, txHash, index }),
      record: (report, sighting) => recordDeposit(commit, judge, { type: 'deposit', report, sighting }, choices),
      finish: () => choices.assertSettled(),
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
