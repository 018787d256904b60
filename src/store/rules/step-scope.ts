import { type NameInNetwork, nameOf } from '../../domain/aside.js'
import { type ChainStep, sightingsOf } from '../../domain/block.js'
import { type Asking, ask } from './asking.js'
import type { BlockFacts, BlockRow } from './chain-work.js'
import type { DepositJudge } from './judge-report.js'

/*
 * What a step is about, before it is taken: the mailboxes in which it takes its turn, and the rows that are locked for it.
 */

/** The addresses, each once, whose deposits a step reports on. */
export function* addressesOf(facts: BlockFacts, step: ChainStep, judge: DepositJudge): Asking<readonly string[]> {
  const sightings = judge.soundOf(sightingsOf(step))
  const known = yield* ask(facts.addressesOf([...sightings, ...(yield* heldBy(facts, step))]))
  return [...new Set([...sightings.map(({ toAddress }) => toAddress), ...known])]
}

/** The deposits, each once, that a step reports on. */
export function* depositsOf(facts: BlockFacts, step: ChainStep, judge: DepositJudge): Asking<readonly NameInNetwork[]> {
  const reported: readonly NameInNetwork[] = [...judge.soundOf(sightingsOf(step)), ...(yield* heldBy(facts, step))]
  const names = reported.map(({ txHash, index }) => ({ txHash, index }))
  return [...new Map(names.map((name) => [nameOf(name), name])).values()]
}

/** The deposits that a step may take away, because they were read from its blocks before. */
export function* heldBy(facts: Omit<BlockFacts, 'addressesOf'>, step: ChainStep): Asking<readonly NameInNetwork[]> {
  const held = (yield* blocksOf(facts, step)).flatMap(({ deposits }) => deposits)
  if (step.type !== 'recover') return held
  return [...held, ...((yield* ask(facts.blockAside(step.blocks[0].height)))?.deposits ?? [])]
}

/** The stored blocks whose deposits a step is about. */
function* blocksOf(facts: Omit<BlockFacts, 'addressesOf'>, step: ChainStep): Asking<readonly BlockRow[]> {
  switch (step.type) {
    case 'append':
    case 'forget':
    case 'unreadable':
    case 'set_aside':
    case 'retry':
      return []
    case 'confirm':
    case 'recover':
      return yield* ask(facts.blocksAt(step.blocks.map(({ height }) => height)))
    case 'undo':
      return yield* ask(facts.blocksAbove(step.above))
  }
}
