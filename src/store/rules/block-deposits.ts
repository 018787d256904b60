import { type BlockAside, type DepositAside, isUntold, type NameInNetwork, nameOf } from '../../domain/aside.js'
import { type ChainStep, type ObservedBlock, sightedAgain, sightingsIn } from '../../domain/block.js'
import type { Sighting } from '../../domain/deposit.js'
import type { Network } from '../../domain/network.js'
import { type Asking, ask } from './asking.js'
import type { ChainWork, KnownDeposit } from './chain-work.js'
import type { StepReports } from './step-reports.js'

/** The deposits of the blocks of a step: which block holds each of them, and what a block that was read says of those that are known. */
export class BlockDeposits<Row extends KnownDeposit> {
  /** Deposits that were known otherwise than a confirmed block says. */
  repaired = 0

  constructor(
    private readonly work: ChainWork<Row>,
    private readonly network: Network,
    private readonly reports: StepReports<Row>,
    /** The deposits that were aside before, by name. */
    private readonly known: ReadonlyMap<string, DepositAside>,
  ) {}

  /** Reports the deposits of a block that is appended, and has it hold them. */
  *append(block: ObservedBlock, { isConfirmed, seenAtMs }: Extract<ChainStep, { type: 'append' }>): Asking<void> {
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

  /**
   * Replaces a block's deposits by those that it was now read to hold, and confirms them. `before`: those that it held. What is
   * untold of them stays as it is. A block that is not kept any more holds none.
   */
  *confirm(block: ObservedBlock, before: readonly NameInNetwork[], isKept: boolean): Asking<void> {
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
      // A higher block was wrongly said to have it.
      const isElsewhere = holder !== undefined && holder > block.height
      if (yield* reports.keepsAside('confirmed', sighting, block.height)) {
        // It is this block's already: the other one must not take back what is kept here.
        if (isElsewhere) work.blocks.release(sighting)
        if (isElsewhere || holder === block.height) hold(sighting)
        continue
      }
      if (holder !== undefined && holder < block.height) continue
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

  /** The deposits that a block, which is not kept any more, was read to hold, and that no other block has taken since. */
  *stillOf(aside: BlockAside): Asking<readonly NameInNetwork[]> {
    const still: NameInNetwork[] = []
    for (const name of aside.deposits) {
      const known = yield* ask(this.work.deposits.find(name))
      if (known?.deposit.kind === 'pending' && this.work.blocks.holderOf(name) === undefined) still.push(name)
    }
    return still
  }

  /** Records a deposit that is still set aside, as it was reported last. */
  *retry(told: DepositAside): Asking<void> {
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

  /** A deposit as it was set aside. */
  private sightedAside(name: NameInNetwork): Sighting | undefined {
    return this.known.get(nameOf(name))?.sighting
  }

  private hold({ txHash, index }: NameInNetwork, height: number, place: number): NameInNetwork {
    this.work.blocks.hold({ txHash, index }, height, place)
    return { txHash, index }
  }
}
