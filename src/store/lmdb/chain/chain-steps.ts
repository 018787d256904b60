import {
  asideOfUntold,
  type BlockAside,
  type DepositAside,
  isUntold,
  type NameInNetwork,
  nameOf,
} from '../../../domain/aside.js'
import {
  type BlockHead,
  type ChainOutcome,
  type ChainRefusal,
  type ChainReport,
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
} from '../../../domain/block.js'
import type { DepositReport, Sighting } from '../../../domain/deposit.js'
import type { EventOutcome } from '../../../domain/ledger-fact.js'
import type { Network } from '../../../domain/network.js'
import { NONE_ASIDE, type StepAside } from '../../commands.js'
import type { OwedDelivery } from '../../outbox.js'
import type { Commit, Reader } from '../commit/commit-loop.js'
import { type DepositId, findDeposit } from '../deposits/deposit-rows.js'
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
  type BlockRow,
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
 * The steps of the watchers: blocks, and the deposits that live and die with them, all in one transaction.
 */

/** The most blocks that one step removes, beyond as many as it brings. */
const PRUNED_MAX = 256

/** The outcome of a step, and the deliveries that it caused. */
export interface TakenStep {
  readonly outcome: ChainOutcome
  readonly owed: readonly OwedDelivery[]
}

/** Settles a bounded piece of what the deposits of a step will meet; false when there is more. */
export function settleStep(commit: Commit, step: ChainStep, deposits: DepositRecorder, aside: StepAside): boolean {
  return deposits.settle(
    commit,
    sightingsOf(step).filter((sighting) => !aside.has(nameOf(sighting))),
  )
}

/** The addresses, each once, whose deposits a step reports on. */
export function addressesOf(at: Reader, step: ChainStep, deposits: DepositRecorder): readonly string[] {
  const { network } = step
  const sightings = sightingsOf(step).filter((sighting) => deposits.flawOf(sighting) === null)
  const held = heldBy(at, step).map((name) => ({ network, ...name }))
  const known = [...sightings, ...held].map((id) => findDeposit(at, id)?.deposit).filter((one) => one !== undefined)
  return [...new Set([...sightings, ...known].map(({ toAddress }) => toAddress))]
}

/** The deposits, each once, that a step reports on. */
export function depositsOf(at: Reader, step: ChainStep, deposits: DepositRecorder): readonly NameInNetwork[] {
  const sightings = sightingsOf(step).filter((sighting) => deposits.flawOf(sighting) === null)
  const names = [...sightings, ...heldBy(at, step)].map(({ txHash, index }) => ({ txHash, index }))
  return [...new Map(names.map((name) => [nameOf(name), name])).values()]
}

/** The deposits that a step may take away, because they were read from its blocks before. */
function heldBy(at: Reader, step: ChainStep): readonly NameInNetwork[] {
  const held = rowsOf(at, step).flatMap(({ deposits }) => deposits)
  if (step.type !== 'recover') return held
  return [...held, ...(findBlockAside(at, step.network, step.blocks[0].height)?.deposits ?? [])]
}

/** The stored blocks whose deposits a step is about. */
function rowsOf(at: Reader, step: ChainStep): readonly BlockRow[] {
  switch (step.type) {
    case 'append':
    case 'forget':
    case 'unreadable':
    case 'set_aside':
    case 'retry':
      return []
    case 'confirm':
    case 'recover':
      return step.blocks.map(({ height }) => findBlock(at, step.network, height)).filter((row) => row !== undefined)
    case 'undo':
      return rowsAbove(at, step.network, step.above)
  }
}

/** Newest first, as they were built on one another. */
function rowsAbove(at: Reader, network: Network, above: number): readonly BlockRow[] {
  const rows: BlockRow[] = []
  const tip = positionOf(at, network)?.tip.height ?? -1
  for (let height = tip; height > above; height -= 1) {
    const row = findBlock(at, network, height)
    if (row === undefined) break
    rows.push(row)
  }
  return rows
}

/** Takes one step in a commit, and collects its effects on deposits. */
export class StepTaker {
  private repaired = 0
  private confirmedBlocksUndone = 0
  private confirmedDepositsDropped = 0
  private readonly reports: ChainReport[] = []
  private readonly owed: OwedDelivery[] = []

  constructor(
    private readonly commit: Commit,
    private readonly network: Network,
    private readonly deposits: DepositRecorder,
    private readonly aside: StepAside = NONE_ASIDE,
  ) {}

  take(step: ChainStep): TakenStep {
    const refusal = this.perform(step)
    if (refusal !== null) return { outcome: { status: 'refused', reason: refusal }, owed: [] }
    const { reports, repaired, confirmedBlocksUndone, confirmedDepositsDropped, owed } = this
    return {
      outcome: { status: 'applied', reports, repaired, confirmedBlocksUndone, confirmedDepositsDropped },
      owed,
    }
  }

  /** Null when the step was taken; nothing is written otherwise. */
  private perform(step: ChainStep): ChainRefusal | null {
    switch (step.type) {
      case 'append':
        return this.append(step)
      case 'confirm':
        return this.confirm(step.blocks)
      case 'undo':
        return this.undo(step.above)
      case 'forget':
        forgetChain(this.commit, this.network)
        forgetAside(this.commit, this.network)
        return null
      case 'unreadable':
        return this.noteUnreadable(step.aside)
      case 'set_aside':
        return this.setAside(step.block, step.aside)
      case 'recover':
        return this.recover(step)
      case 'retry':
        for (const one of step.deposits) this.retry(one)
        return null
    }
  }

  private append(step: Extract<ChainStep, { type: 'append' }>): ChainRefusal | null {
    const { blocks, isConfirmed } = step
    const position = positionOf(this.commit, this.network) ?? null
    if (!mayAppend(position, step)) return 'not_next'
    for (const block of blocks) this.appendBlock(block, step)
    this.endWaiting(blocks)
    if (isConfirmed) for (const block of blocks) this.keepUntold(block, undefined, [])
    const confirmed = isConfirmed ? (blocks.at(-1)?.height ?? 0) : (position?.confirmed ?? (blocks[0]?.height ?? 0) - 1)
    this.setConfirmed(confirmed, blocks.length)
    return null
  }

  private appendBlock(block: ObservedBlock, { isConfirmed, seenAtMs }: Extract<ChainStep, { type: 'append' }>): void {
    const { commit, network } = this
    const report = isConfirmed ? 'confirmed' : 'pending'
    const held: NameInNetwork[] = []
    for (const seen of sightingsIn(network, block, seenAtMs)) {
      if (this.deposits.flawOf(seen) !== null) {
        this.report(report, seen)
        continue
      }
      if (this.keepsAside(report, seen, block.height)) continue
      const known = findDeposit(commit, seen)
      const sighting = sightedAgain(block, seen, known?.deposit)
      const isHeld = holderOf(commit, network, sighting) !== undefined
      // A confirmed block overrides other reports. Until a block is confirmed the first report stands.
      if (isConfirmed && !isHeld && this.deposits.conflictWith(known, sighting) !== null) {
        this.retract(sighting)
        this.repaired += 1
      }
      if (this.report(report, sighting) === 'rejected') continue
      // A lower block has it already, or another report has confirmed it: it stays even if this block disappears.
      const isOthers = isHeld || (known?.deposit.kind === 'confirmed' && !isConfirmed)
      if (!isOthers) held.push(this.hold(sighting, block.height))
    }
    putBlock(commit, network, { ...block, deposits: held })
  }

  private confirm(blocks: readonly ObservedBlock[]): ChainRefusal | null {
    const { commit, network } = this
    if (!mayConfirm(positionOf(commit, network) ?? null, blocks)) return 'not_next'
    const isSame = blocks.every(({ height, hash }) => getBlock(commit, network, height).hash === hash)
    if (!isSame) return 'not_same'
    this.endWaiting(blocks)
    for (const block of blocks) {
      const before = getBlock(commit, network, block.height).deposits
      this.confirmBlock(block, before)
      this.keepUntold(block, undefined, before)
    }
    this.setConfirmed(blocks.at(-1)?.height ?? 0, blocks.length)
    return null
  }

  /**
   * Replaces a block's deposits by those that it was now read to hold, and confirms them. `before`: those that it held. What is
   * untold of them stays as it is.
   */
  private confirmBlock(block: ObservedBlock, before: readonly NameInNetwork[]): void {
    const { commit, network } = this
    const isKept = findBlock(commit, network, block.height) !== undefined
    const sightings = sightingsIn(network, block, null)
    const actual = new Set(sightings.filter((one) => this.deposits.flawOf(one) === null).map(nameOf))
    // By name: a deposit that a block lists twice is held once.
    const held = new Map<string, NameInNetwork>()
    for (const id of before) {
      if (actual.has(nameOf(id))) continue
      if (isUntold(block.untold, id)) {
        held.set(nameOf(id), id)
        continue
      }
      this.drop(id)
      this.repaired += 1
      releaseDeposit(commit, network, id)
    }
    for (const read of sightings) {
      if (this.deposits.flawOf(read) !== null) {
        this.report('confirmed', read)
        continue
      }
      const known = findDeposit(commit, read)
      const sighting = sightedAgain(block, read, known?.deposit)
      const holder = holderOf(commit, network, sighting)
      if (this.keepsAside('confirmed', sighting, block.height)) {
        if (holder === block.height) held.set(nameOf(sighting), { txHash: sighting.txHash, index: sighting.index })
        continue
      }
      if (holder !== undefined && holder < block.height) continue
      const isElsewhere = holder !== undefined && holder > block.height
      if (isElsewhere) this.takeFrom(sighting, holder)
      const isWrong = isElsewhere || this.deposits.conflictWith(known, sighting) !== null
      // The earlier report is taken back, so that the deposit is recorded again as it is.
      if (isWrong) this.retract(sighting)
      const status = this.report('confirmed', sighting)
      if (isWrong || (holder === undefined && status === 'applied')) this.repaired += 1
      if (isKept) held.set(nameOf(sighting), this.hold(sighting, block.height))
    }
    if (isKept) putBlock(commit, network, { ...block, deposits: [...held.values()] })
  }

  private noteUnreadable(aside: BlockAside): ChainRefusal | null {
    const known = findBlockAside(this.commit, this.network, aside.height)
    // Behind what is set aside already, nobody waits.
    if (known === undefined || known.hash === null) putBlockAside(this.commit, aside)
    return null
  }

  private setAside(block: BlockHead, aside: BlockAside): ChainRefusal | null {
    const { commit, network } = this
    const place = placeOfAside(positionOf(commit, network) ?? null, block)
    if (place === null) return 'not_next'
    const known = findBlock(commit, network, block.height)
    if (place === 'confirm' && known?.hash !== block.hash) return 'not_same'
    const deposits = known?.deposits ?? []
    if (place === 'append') putBlock(commit, network, { ...block, deposits })
    putBlockAside(commit, { ...aside, height: block.height, hash: block.hash, deposits })
    this.setConfirmed(block.height, 1)
    return null
  }

  private recover({
    blocks: [block],
    isSettled = false,
  }: Extract<ChainStep, { type: 'recover' }>): ChainRefusal | null {
    const { commit, network } = this
    const aside = findBlockAside(commit, network, block.height)
    if (aside?.hash !== block.hash) return 'not_aside'
    const before = this.stillOf(block, aside)
    this.confirmBlock(block, before)
    if (isSettled || !this.keepUntold(block, aside, before)) endBlockAside(commit, network, block.height)
    return null
  }

  /** Sets aside what is not known of a confirmed block, if anything is not. */
  private keepUntold(block: ObservedBlock, known: BlockAside | undefined, before: readonly NameInNetwork[]): boolean {
    const { commit, network } = this
    const aside = asideOfUntold(block, { network, known, before, nowMs: commit.nowMs })
    if (aside !== null) putBlockAside(commit, aside)
    return aside !== null
  }

  /** The deposits that a block was read to hold before it was set aside, and that no other block has taken since. */
  private stillOf({ height }: BlockHead, aside: BlockAside): readonly NameInNetwork[] {
    const { commit, network } = this
    const kept = findBlock(commit, network, height)
    if (kept !== undefined) return kept.deposits
    return aside.deposits.filter((name) => {
      const isPending = findDeposit(commit, { network, ...name })?.deposit.kind === 'pending'
      return isPending && holderOf(commit, network, name) === undefined
    })
  }

  /** Records a deposit that is still set aside, as it was reported last. */
  private retry(told: DepositAside): void {
    const { commit, network } = this
    const aside = findDepositAside(commit, told.sighting)
    if (aside === undefined) return
    const { sighting, report, height } = aside
    if (this.keepsAside(report, sighting, height)) return
    const known = findDeposit(commit, sighting)
    // A confirmed block overrides other reports.
    const isWrong = height !== null && report === 'confirmed' && this.deposits.conflictWith(known, sighting) !== null
    if (isWrong) this.retract(sighting)
    const status = this.report(report, sighting)
    const block = height === null ? undefined : findBlock(commit, network, height)
    if (status === 'rejected' || block === undefined || holderOf(commit, network, sighting) !== undefined) return
    const held = this.hold(sighting, block.height)
    putBlock(commit, network, { ...block, deposits: [...block.deposits, held] })
  }

  private undo(above: number): ChainRefusal | null {
    const { commit, network } = this
    const position = positionOf(commit, network)
    if (position === undefined || findBlock(commit, network, above) === undefined) return 'no_ancestor'
    endAsideAbove(commit, network, above)
    for (const row of rowsAbove(commit, network, above)) {
      for (const id of row.deposits) this.drop(id)
      removeBlock(commit, network, row)
      if (row.height <= position.confirmed) this.confirmedBlocksUndone += 1
    }
    putConfirmed(commit, network, confirmedAfterUndo(position, above))
    return null
  }

  private report(report: DepositReport, sighting: Sighting): EventOutcome['status'] {
    const { outcome, owed } = this.deposits.record(this.commit, { type: 'deposit', report, sighting })
    const { txHash, index } = sighting
    const reported = outcome.status === 'rejected' ? outcome : { status: outcome.status }
    this.reports.push({ report, txHash, index, outcome: reported })
    this.owed.push(...owed)
    return outcome.status
  }

  /** A deposit that a block held has disappeared. */
  private drop(name: NameInNetwork): void {
    const known = findDeposit(this.commit, { network: this.network, ...name })?.deposit
    if (known !== undefined && this.keepsAside('dropped', known, null)) return
    if (this.retract({ network: this.network, ...name }) === 'confirmed') this.confirmedDepositsDropped += 1
  }

  /** Sets a deposit aside whose recording is known to fail; false for any other. */
  private keepsAside(
    report: DepositReport,
    { network, txHash, index, ...seen }: Sighting,
    height: number | null,
  ): boolean {
    const error = this.aside.get(nameOf({ txHash, index }))
    if (error === undefined) return false
    const { toAddress, currency, amount, receivedAt } = seen
    const sighting = { network, txHash, index, toAddress, currency, amount, receivedAt }
    if (error !== null) putDepositAside(this.commit, { sighting, report, height, error, since: this.commit.nowMs })
    this.reports.push({ report, txHash, index, outcome: { status: 'rejected', error: `set aside: ${error}` } })
    return true
  }

  private endWaiting(blocks: readonly BlockHead[]): void {
    endWaiting(this.commit, this.network, blocks[0]?.height ?? 0, blocks.at(-1)?.height ?? 0)
  }

  /** Takes back the reports of a deposit, and answers its kind before. */
  private retract(id: DepositId): DepositReport {
    const known = findDeposit(this.commit, id)
    if (known === undefined) throw new Error('a block holds a deposit that is not there')
    this.report('dropped', known.deposit)
    return known.deposit.kind
  }

  private hold({ txHash, index }: NameInNetwork, height: number): NameInNetwork {
    holdDeposit(this.commit, this.network, { txHash, index }, height)
    return { txHash, index }
  }

  /** Takes a deposit from a higher block that was wrongly said to have it. */
  private takeFrom(name: NameInNetwork, holder: number): void {
    const row = getBlock(this.commit, this.network, holder)
    const deposits = row.deposits.filter((one) => nameOf(one) !== nameOf(name))
    putBlock(this.commit, this.network, { ...row, deposits })
  }

  private setConfirmed(confirmed: number, blocksBrought: number): void {
    const { commit, network } = this
    putConfirmed(commit, network, confirmed)
    const pruned = blocksBelow(commit, network, confirmed - CONFIRMED_BLOCKS_KEPT, blocksBrought + PRUNED_MAX)
    for (const row of pruned) removeBlock(commit, network, row)
  }
}
