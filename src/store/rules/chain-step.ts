import { asideOfUntold, type BlockAside, type DepositAside, type NameInNetwork, nameOf } from '../../domain/aside.js'
import {
  type BlockHead,
  type ChainOutcome,
  type ChainRefusal,
  type ChainStep,
  CONFIRMED_BLOCKS_KEPT,
  confirmedAfterUndo,
  mayAppend,
  mayConfirm,
  type ObservedBlock,
  placeOfAside,
  sightingsOf,
} from '../../domain/block.js'
import type { Network } from '../../domain/network.js'
import { NONE_ASIDE, type StepAside } from '../commands.js'
import type { OwedDelivery } from '../outbox.js'
import { type Asking, ask } from './asking.js'
import { BlockDeposits } from './block-deposits.js'
import type { ChainWork, KnownDeposit } from './chain-work.js'
import { StepReports } from './step-reports.js'
import { waitingIn } from './waiting-deposits.js'

/** The outcome of a step, and the deliveries that each of its reports caused. */
export interface TakenStep {
  readonly outcome: ChainOutcome
  readonly owed: readonly (readonly OwedDelivery[])[]
}

/**
 * Takes a step of a network's watcher: blocks, and the deposits that live and die with them. A step that is refused writes nothing.
 * Null when it has only settled a piece of what its deposits meet, because no more of them may wait, and is to be taken again. Throws
 * `Unsettled` when some of its deposits meet too much behind others.
 */
export function* takeStep<Row extends KnownDeposit>(
  work: ChainWork<Row>,
  step: ChainStep,
  aside: StepAside = NONE_ASIDE,
): Asking<TakenStep | null> {
  const known = yield* ask(work.aside.deposits())
  const waiting = yield* waitingIn(work.deposits, sightingsOf(step), aside, step.type === 'retry' ? [] : known)
  if (waiting === null) return null
  const taken = yield* new StepTaker(work, step.network, new Map([...aside, ...waiting]), byName(known)).take(step)
  yield* ask(work.deposits.finish())
  return taken
}

function byName(deposits: readonly DepositAside[]): ReadonlyMap<string, DepositAside> {
  return new Map(deposits.map((one) => [nameOf(one.sighting), one]))
}

class StepTaker<Row extends KnownDeposit> {
  private readonly reports: StepReports<Row>
  private readonly deposits: BlockDeposits<Row>
  private confirmedBlocksUndone = 0

  constructor(
    private readonly work: ChainWork<Row>,
    private readonly network: Network,
    aside: StepAside,
    /** The deposits that were aside before, by name. */
    known: ReadonlyMap<string, DepositAside>,
  ) {
    this.reports = new StepReports(work, network, aside)
    this.deposits = new BlockDeposits(work, network, this.reports, known)
  }

  *take(step: ChainStep): Asking<TakenStep> {
    const refusal = yield* this.perform(step)
    if (refusal !== null) return { outcome: { status: 'refused', reason: refusal }, owed: [] }
    const { confirmedBlocksUndone } = this
    const { repaired } = this.deposits
    const { reports, owed, confirmedDepositsDropped, waiting } = this.reports
    return {
      outcome: { status: 'applied', reports, repaired, confirmedBlocksUndone, confirmedDepositsDropped, waiting },
      owed,
    }
  }

  /** Null when the step was taken. */
  private *perform(step: ChainStep): Asking<ChainRefusal | null> {
    switch (step.type) {
      case 'append':
        return yield* this.append(step)
      case 'confirm':
        return yield* this.confirm(step.blocks)
      case 'undo':
        return yield* this.undo(step.above)
      case 'forget':
        this.work.blocks.forget()
        this.work.aside.forget()
        return null
      case 'unreadable':
        return yield* this.noteUnreadable(step.aside)
      case 'set_aside':
        return yield* this.setAside(step.block, step.aside)
      case 'recover':
        return yield* this.recover(step)
      case 'retry':
        for (const one of step.deposits) yield* this.deposits.retry(one)
        return null
    }
  }

  private *append(step: Extract<ChainStep, { type: 'append' }>): Asking<ChainRefusal | null> {
    const { blocks, isConfirmed } = step
    const position = (yield* ask(this.work.blocks.position())) ?? null
    if (!mayAppend(position, step)) return 'not_next'
    for (const block of blocks) yield* this.deposits.append(block, step)
    this.endWaiting(blocks)
    if (isConfirmed) for (const block of blocks) this.keepUntold(block, undefined, [])
    const confirmed = isConfirmed ? (blocks.at(-1)?.height ?? 0) : (position?.confirmed ?? (blocks[0]?.height ?? 0) - 1)
    this.setConfirmed(confirmed, blocks.length)
    return null
  }

  private *confirm(blocks: readonly ObservedBlock[]): Asking<ChainRefusal | null> {
    const { work } = this
    if (!mayConfirm((yield* ask(work.blocks.position())) ?? null, blocks)) return 'not_next'
    const stored = yield* ask(work.facts.blocksAt(blocks.map(({ height }) => height)))
    if (!blocks.every(({ hash }, i) => stored[i]?.hash === hash)) return 'not_same'
    this.endWaiting(blocks)
    for (const block of blocks) {
      // Asked again: a block before may have taken some of its deposits.
      const [kept] = yield* ask(work.facts.blocksAt([block.height]))
      const before = kept?.deposits ?? []
      yield* this.deposits.confirm(block, before, true)
      this.keepUntold(block, undefined, before)
    }
    this.setConfirmed(blocks.at(-1)?.height ?? 0, blocks.length)
    return null
  }

  private *noteUnreadable(aside: BlockAside): Asking<ChainRefusal | null> {
    const known = yield* ask(this.work.facts.blockAside(aside.height))
    // Behind what is set aside already, nobody waits.
    if (known === undefined || known.hash === null) this.work.aside.putBlock(aside)
    return null
  }

  private *setAside(block: BlockHead, aside: BlockAside): Asking<ChainRefusal | null> {
    const { work } = this
    const place = placeOfAside((yield* ask(work.blocks.position())) ?? null, block)
    if (place === null) return 'not_next'
    const [known] = yield* ask(work.facts.blocksAt([block.height]))
    if (place === 'confirm' && known?.hash !== block.hash) return 'not_same'
    const deposits = known?.deposits ?? []
    if (place === 'append') work.blocks.put(block, deposits)
    work.aside.putBlock({ ...aside, height: block.height, hash: block.hash, deposits })
    this.setConfirmed(block.height, 1)
    return null
  }

  private *recover({
    blocks: [block],
    isSettled = false,
  }: Extract<ChainStep, { type: 'recover' }>): Asking<ChainRefusal | null> {
    const { work } = this
    const aside = yield* ask(work.facts.blockAside(block.height))
    if (aside?.hash !== block.hash) return 'not_aside'
    const [kept] = yield* ask(work.facts.blocksAt([block.height]))
    const before = kept?.deposits ?? (yield* this.deposits.stillOf(aside))
    yield* this.deposits.confirm(block, before, kept !== undefined)
    if (isSettled || !this.keepUntold(block, aside, before)) work.aside.endBlock(block.height)
    return null
  }

  /** Sets aside what is not known of a confirmed block, if anything is not. */
  private keepUntold(block: ObservedBlock, known: BlockAside | undefined, before: readonly NameInNetwork[]): boolean {
    const { work, network } = this
    const aside = asideOfUntold(block, { network, known, before, nowMs: work.nowMs })
    if (aside !== null) work.aside.putBlock(aside)
    return aside !== null
  }

  private *undo(above: number): Asking<ChainRefusal | null> {
    const { work } = this
    const position = yield* ask(work.blocks.position())
    const [ancestor] = yield* ask(work.facts.blocksAt([above]))
    if (position === undefined || ancestor === undefined) return 'no_ancestor'
    work.aside.endAbove(above)
    const blocks = yield* ask(work.facts.blocksAbove(above))
    for (const block of blocks) {
      for (const name of block.deposits) yield* this.reports.drop(name)
      if (block.height <= position.confirmed) this.confirmedBlocksUndone += 1
    }
    work.blocks.removeAbove(above, blocks)
    work.blocks.putConfirmed(confirmedAfterUndo(position, above))
    return null
  }

  private endWaiting(blocks: readonly BlockHead[]): void {
    this.work.aside.endWaiting(blocks[0]?.height ?? 0, blocks.at(-1)?.height ?? 0)
  }

  private setConfirmed(confirmed: number, brought: number): void {
    this.work.blocks.putConfirmed(confirmed)
    this.work.blocks.removeBelow(confirmed - CONFIRMED_BLOCKS_KEPT, brought)
  }
}
