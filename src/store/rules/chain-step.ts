import {
  asideOfUntold,
  type BlockAside,
  type DepositAside,
  isUntold,
  type NameInNetwork,
  nameOf,
} from '../../domain/aside.js'
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
  sightedAgain,
  sightingsIn,
  sightingsOf,
} from '../../domain/block.js'
import type { Sighting } from '../../domain/deposit.js'
import type { Network } from '../../domain/network.js'
import { NONE_ASIDE, type StepAside } from '../commands.js'
import type { OwedDelivery } from '../outbox.js'
import { type Asking, ask } from './asking.js'
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
 * Null when it has only settled a piece of what its deposits meet, because no more of them may wait, and is to be taken again.
 */
export function* takeStep<Row extends KnownDeposit>(
  work: ChainWork<Row>,
  step: ChainStep,
  aside: StepAside = NONE_ASIDE,
): Asking<TakenStep | null> {
  const known = yield* ask(work.aside.deposits())
  const waiting = yield* waitingIn(work.deposits, sightingsOf(step), aside, step.type === 'retry' ? [] : known)
  if (waiting === null) return null
  return yield* new StepTaker(work, step.network, new Map([...aside, ...waiting]), byName(known)).take(step)
}

function byName(deposits: readonly DepositAside[]): ReadonlyMap<string, DepositAside> {
  return new Map(deposits.map((one) => [nameOf(one.sighting), one]))
}

class StepTaker<Row extends KnownDeposit> {
  private readonly reports: StepReports<Row>
  private repaired = 0
  private confirmedBlocksUndone = 0

  constructor(
    private readonly work: ChainWork<Row>,
    private readonly network: Network,
    aside: StepAside,
    /** The deposits that were aside before, by name. */
    private readonly known: ReadonlyMap<string, DepositAside>,
  ) {
    this.reports = new StepReports(work, network, aside)
  }

  *take(step: ChainStep): Asking<TakenStep> {
    const refusal = yield* this.perform(step)
    if (refusal !== null) return { outcome: { status: 'refused', reason: refusal }, owed: [] }
    const { repaired, confirmedBlocksUndone } = this
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
        for (const one of step.deposits) yield* this.retry(one)
        return null
    }
  }

  private *append(step: Extract<ChainStep, { type: 'append' }>): Asking<ChainRefusal | null> {
    const { blocks, isConfirmed } = step
    const position = (yield* ask(this.work.blocks.position())) ?? null
    if (!mayAppend(position, step)) return 'not_next'
    for (const block of blocks) yield* this.appendBlock(block, step)
    this.endWaiting(blocks)
    if (isConfirmed) for (const block of blocks) this.keepUntold(block, undefined, [])
    const confirmed = isConfirmed ? (blocks.at(-1)?.height ?? 0) : (position?.confirmed ?? (blocks[0]?.height ?? 0) - 1)
    this.setConfirmed(confirmed, blocks.length)
    return null
  }

  private *appendBlock(
    block: ObservedBlock,
    { isConfirmed, seenAtMs }: Extract<ChainStep, { type: 'append' }>,
  ): Asking<void> {
    const { work, reports } = this
    const report = isConfirmed ? 'confirmed' : 'pending'
    const held: NameInNetwork[] = []
    for (const seen of sightingsIn(this.network, block, seenAtMs)) {
      if (work.deposits.judge.flawOf(seen) !== null) {
        yield* reports.report(report, seen)
        continue
      }
      const known = yield* ask(work.deposits.find(seen))
      const sighting = sightedAgain(block, seen, known?.deposit ?? this.sightedAside(seen))
      if (yield* reports.keepsAside(report, sighting, block.height)) continue
      const isHeld = work.blocks.holderOf(sighting) !== undefined
      // A confirmed block overrides other reports. Until a block is confirmed the first report stands.
      if (isConfirmed && !isHeld && work.deposits.judge.conflictWith(known, sighting) !== null) {
        yield* reports.retract(sighting)
        this.repaired += 1
      }
      if ((yield* reports.report(report, sighting)) === 'rejected') continue
      // A lower block has it already, or another report has confirmed it: it stays even if this block disappears.
      const isOthers = isHeld || (known?.deposit.kind === 'confirmed' && !isConfirmed)
      if (!isOthers) held.push(this.hold(sighting, block.height, held.length))
    }
    work.blocks.put(block, held)
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
      yield* this.confirmBlock(block, before, true)
      this.keepUntold(block, undefined, before)
    }
    this.setConfirmed(blocks.at(-1)?.height ?? 0, blocks.length)
    return null
  }

  /**
   * Replaces a block's deposits by those that it was now read to hold, and confirms them. `before`: those that it held. What is
   * untold of them stays as it is. A block that is not kept any more holds none.
   */
  private *confirmBlock(block: ObservedBlock, before: readonly NameInNetwork[], isKept: boolean): Asking<void> {
    const { work, reports } = this
    const sightings = sightingsIn(this.network, block, null)
    const actual = new Set(sightings.filter((one) => work.deposits.judge.flawOf(one) === null).map(nameOf))
    // By name: a deposit that a block lists twice is held once.
    const held = new Map<string, NameInNetwork>()
    const hold = (name: NameInNetwork) => {
      if (isKept && !held.has(nameOf(name))) held.set(nameOf(name), this.hold(name, block.height, held.size))
    }
    for (const name of before) {
      if (actual.has(nameOf(name))) continue
      const recorded = (yield* ask(work.deposits.find(name)))?.deposit
      const isOfLostToken = recorded !== undefined && work.deposits.judge.isUntold(recorded)
      if (isOfLostToken || isUntold(block.untold, name)) {
        hold(name)
        continue
      }
      yield* reports.drop(name)
      this.repaired += 1
      work.blocks.release(name)
    }
    for (const { sighting, height } of this.known.values()) {
      if (height !== block.height || actual.has(nameOf(sighting)) || isUntold(block.untold, sighting)) continue
      // A block before may have it now.
      if ((yield* ask(work.aside.deposit(sighting)))?.height === block.height) work.aside.endDeposit(sighting)
    }
    for (const read of sightings) {
      if (work.deposits.judge.flawOf(read) !== null) {
        yield* reports.report('confirmed', read)
        continue
      }
      const known = yield* ask(work.deposits.find(read))
      const sighting = sightedAgain(block, read, known?.deposit ?? this.sightedAside(read))
      const holder = work.blocks.holderOf(sighting)
      if (yield* reports.keepsAside('confirmed', sighting, block.height)) {
        if (holder === block.height) hold(sighting)
        continue
      }
      if (holder !== undefined && holder < block.height) continue
      // A higher block was wrongly said to have it.
      const isElsewhere = holder !== undefined && holder > block.height
      if (isElsewhere) work.blocks.release(sighting)
      const isWrong = isElsewhere || work.deposits.judge.conflictWith(known, sighting) !== null
      // The earlier report is taken back, so that the deposit is recorded again as it is.
      if (isWrong) yield* reports.retract(sighting)
      const status = yield* reports.report('confirmed', sighting)
      if (isWrong || (holder === undefined && status === 'applied')) this.repaired += 1
      hold(sighting)
    }
    if (isKept) work.blocks.put(block, [...held.values()])
  }

  /** A deposit as it was set aside. */
  private sightedAside(name: NameInNetwork): Sighting | undefined {
    return this.known.get(nameOf(name))?.sighting
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
    const before = kept?.deposits ?? (yield* this.stillOf(aside))
    yield* this.confirmBlock(block, before, kept !== undefined)
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

  /** The deposits that a block, which is not kept any more, was read to hold, and that no other block has taken since. */
  private *stillOf(aside: BlockAside): Asking<readonly NameInNetwork[]> {
    const still: NameInNetwork[] = []
    for (const name of aside.deposits) {
      const known = yield* ask(this.work.deposits.find(name))
      if (known?.deposit.kind === 'pending' && this.work.blocks.holderOf(name) === undefined) still.push(name)
    }
    return still
  }

  /** Records a deposit that is still set aside, as it was reported last. */
  private *retry(told: DepositAside): Asking<void> {
    const { work, reports } = this
    const aside = yield* ask(work.aside.deposit(told.sighting))
    if (aside === undefined) return
    const { sighting, report, height } = aside
    if (yield* reports.keepsAside(report, sighting, height)) return
    const known = yield* ask(work.deposits.find(sighting))
    // A confirmed block overrides other reports.
    const isWrong =
      height !== null && report === 'confirmed' && work.deposits.judge.conflictWith(known, sighting) !== null
    if (isWrong) yield* reports.retract(sighting)
    const status = yield* reports.report(report, sighting)
    if (status === 'rejected' || height === null || work.blocks.holderOf(sighting) !== undefined) return
    const [block] = yield* ask(work.facts.blocksAt([height]))
    if (block === undefined) return
    work.blocks.put(block, [...block.deposits, this.hold(sighting, height, block.deposits.length)])
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

  private hold({ txHash, index }: NameInNetwork, height: number, place: number): NameInNetwork {
    this.work.blocks.hold({ txHash, index }, height, place)
    return { txHash, index }
  }

  private endWaiting(blocks: readonly BlockHead[]): void {
    this.work.aside.endWaiting(blocks[0]?.height ?? 0, blocks.at(-1)?.height ?? 0)
  }

  private setConfirmed(confirmed: number, brought: number): void {
    this.work.blocks.putConfirmed(confirmed)
    this.work.blocks.removeBelow(confirmed - CONFIRMED_BLOCKS_KEPT, brought)
  }
}
