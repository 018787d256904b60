import type { ChainRefusal, ChainStep, ObservedBlock, ObservedTransfer } from '../../../domain/block.js'
import { CONFIRMED_BLOCKS_KEPT, confirmedAfterUndo, mayAppend, mayConfirm } from '../../../domain/block.js'
import { conflictOf, flawOf, type Sighting } from '../../../domain/deposit.js'
import type { Network, TokenDecimals } from '../../../domain/network.js'
import type { Commit, Reader } from '../commit/commit-loop.js'
import { findDeposit } from '../deposits/deposit-rows.js'
import type { DepositRecorder } from '../deposits/deposits.js'
import {
  type BlockRow,
  blocksBelow,
  type DepositId,
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
import { ChainEffects, type TakenStep } from './chain-effects.js'

/** The most blocks that one step removes, beyond as many as it brings. */
const PRUNED_MAX = 256

/** Takes the steps of the watchers: blocks, and the deposits that live and die with them, all in one transaction. */
export class ChainSteps {
  constructor(
    private readonly deposits: DepositRecorder,
    private readonly tokenDecimals: TokenDecimals,
  ) {}

  take(commit: Commit, step: ChainStep): TakenStep {
    const effects = new ChainEffects(commit, step.network, this.deposits)
    const refusal = this.perform(commit, step, effects)
    return refusal === null ? effects.taken() : { outcome: { status: 'refused', reason: refusal }, owed: [] }
  }

  /** Settles a bounded piece of what the deposits of a step will meet; false when there is more. */
  settle(commit: Commit, step: ChainStep): boolean {
    if (step.type !== 'append' && step.type !== 'confirm') return true
    const { network, blocks } = step
    const sightings = blocks.flatMap((block) => block.transfers.map((transfer) => sightingOf(network, block, transfer)))
    return this.deposits.settle(commit, sightings)
  }

  /** The addresses, each once, whose deposits a step reports on. */
  addressesOf(at: Reader, step: ChainStep): readonly string[] {
    const addresses = new Set<string>()
    const add = (id: DepositId) => {
      const deposit = findDeposit(at, step.network, id.txHash, id.index)
      if (deposit !== undefined) addresses.add(deposit.toAddress)
    }
    if (step.type === 'append' || step.type === 'confirm') {
      for (const block of step.blocks) {
        for (const transfer of block.transfers) {
          if (this.isFlawed(sightingOf(step.network, block, transfer))) continue
          addresses.add(transfer.toAddress)
          add(transfer)
        }
      }
    }
    for (const row of this.rowsOf(at, step)) for (const id of row.deposits) add(id)
    return [...addresses]
  }

  /** The stored blocks whose deposits a step is about. */
  private rowsOf(at: Reader, step: ChainStep): readonly BlockRow[] {
    switch (step.type) {
      case 'append':
      case 'forget':
        return []
      case 'confirm':
        return step.blocks.map(({ height }) => findBlock(at, step.network, height)).filter((row) => row !== undefined)
      case 'undo':
        return this.rowsAbove(at, step.network, step.above)
    }
  }

  /** Null when the step was taken; nothing is written otherwise. */
  private perform(commit: Commit, step: ChainStep, effects: ChainEffects): ChainRefusal | null {
    switch (step.type) {
      case 'append':
        return this.append(commit, step, effects)
      case 'confirm':
        return this.confirm(commit, step, effects)
      case 'undo':
        return this.undo(commit, step, effects)
      case 'forget':
        forgetChain(commit, step.network)
        return null
    }
  }

  private append(
    commit: Commit,
    step: Extract<ChainStep, { type: 'append' }>,
    effects: ChainEffects,
  ): ChainRefusal | null {
    const { network, blocks, isConfirmed } = step
    const position = positionOf(commit, network) ?? null
    if (!mayAppend(position, step)) return 'not_next'
    for (const block of blocks) {
      const held: DepositId[] = []
      for (const transfer of block.transfers) {
        const sighting = sightingOf(network, block, transfer)
        const report = isConfirmed ? 'confirmed' : 'pending'
        if (this.isFlawed(sighting)) {
          effects.report(report, sighting)
          continue
        }
        const known = findDeposit(commit, network, transfer.txHash, transfer.index)
        const isHeld = holderOf(commit, network, transfer) !== undefined
        // A confirmed block overrides other reports. Until a block is confirmed the first report stands.
        if (isConfirmed && !isHeld && this.isOtherwise(commit, sighting)) {
          effects.retract(sighting)
          effects.repaired += 1
        }
        if (effects.report(report, sighting) === 'rejected') continue
        // A lower block has it already, or another report has confirmed it: it stays, whatever becomes of this block.
        const isOthers = isHeld || (known?.kind === 'confirmed' && !isConfirmed)
        if (!isOthers) held.push(this.hold(commit, network, transfer, block.height))
      }
      this.put(commit, network, block, held)
    }
    const confirmed = isConfirmed ? (blocks.at(-1)?.height ?? 0) : (position?.confirmed ?? (blocks[0]?.height ?? 0) - 1)
    this.setConfirmed(commit, network, confirmed, blocks.length)
    return null
  }

  private confirm(
    commit: Commit,
    step: Extract<ChainStep, { type: 'confirm' }>,
    effects: ChainEffects,
  ): ChainRefusal | null {
    const { network, blocks } = step
    if (!mayConfirm(positionOf(commit, network) ?? null, blocks)) return 'not_next'
    const isSame = blocks.every(({ height, hash }) => getBlock(commit, network, height).hash === hash)
    if (!isSame) return 'not_same'
    for (const block of blocks) this.confirmBlock(commit, network, block, effects)
    this.setConfirmed(commit, network, blocks.at(-1)?.height ?? 0, blocks.length)
    return null
  }

  /** Replaces a block's deposits by those that it was now read to hold, and confirms them. */
  private confirmBlock(commit: Commit, network: Network, block: ObservedBlock, effects: ChainEffects): void {
    const sightings = block.transfers.map((transfer) => sightingOf(network, block, transfer))
    const actual = new Set(sightings.filter((sighting) => !this.isFlawed(sighting)).map(nameOf))
    for (const id of getBlock(commit, network, block.height).deposits) {
      if (actual.has(nameOf(id))) continue
      effects.drop(id)
      effects.repaired += 1
      releaseDeposit(commit, network, id)
    }
    // By name: a deposit that a block lists twice is held once.
    const held = new Map<string, DepositId>()
    for (const sighting of sightings) {
      if (this.isFlawed(sighting)) {
        effects.report('confirmed', sighting)
        continue
      }
      const holder = holderOf(commit, network, sighting)
      if (holder !== undefined && holder < block.height) continue
      const isElsewhere = holder !== undefined && holder > block.height
      if (isElsewhere) this.takeFrom(commit, network, sighting, holder)
      const isWrong = isElsewhere || this.isOtherwise(commit, sighting)
      // The earlier report is taken back, so that the deposit is recorded anew as it is.
      if (isWrong) effects.retract(sighting)
      const status = effects.report('confirmed', sighting)
      if (isWrong || (holder === undefined && status === 'applied')) effects.repaired += 1
      held.set(nameOf(sighting), this.hold(commit, network, sighting, block.height))
    }
    this.put(commit, network, block, [...held.values()])
  }

  private undo(commit: Commit, step: Extract<ChainStep, { type: 'undo' }>, effects: ChainEffects): ChainRefusal | null {
    const { network, above } = step
    const position = positionOf(commit, network)
    if (position === undefined || findBlock(commit, network, above) === undefined) return 'no_ancestor'
    for (const row of this.rowsAbove(commit, network, above)) {
      for (const id of row.deposits) effects.drop(id)
      removeBlock(commit, network, row)
      if (row.height <= position.confirmed) effects.confirmedBlocksUndone += 1
    }
    putConfirmed(commit, network, confirmedAfterUndo(position, above))
    return null
  }

  /** Newest first, as they were built on one another. */
  private rowsAbove(at: Reader, network: Network, above: number): readonly BlockRow[] {
    const rows: BlockRow[] = []
    const tip = positionOf(at, network)?.tip.height ?? -1
    for (let height = tip; height > above; height -= 1) {
      const row = findBlock(at, network, height)
      if (row === undefined) break
      rows.push(row)
    }
    return rows
  }

  private hold(commit: Commit, network: Network, { txHash, index }: DepositId, height: number): DepositId {
    holdDeposit(commit, network, { txHash, index }, height)
    return { txHash, index }
  }

  /** Takes a deposit from a higher block that was wrongly said to have it. */
  private takeFrom(commit: Commit, network: Network, id: DepositId, holder: number): void {
    const row = getBlock(commit, network, holder)
    putBlock(commit, network, { ...row, deposits: row.deposits.filter((one) => nameOf(one) !== nameOf(id)) })
  }

  /** Whether a deposit cannot be recorded; its names may not even fit into a key. */
  private isFlawed(sighting: Sighting): boolean {
    return flawOf(sighting, this.tokenDecimals) !== null
  }

  private isOtherwise(commit: Commit, sighting: Sighting): boolean {
    const known = findDeposit(commit, sighting.network, sighting.txHash, sighting.index)
    return known !== undefined && known.kind !== 'dropped' && conflictOf(known, sighting, this.tokenDecimals) !== null
  }

  private put(
    commit: Commit,
    network: Network,
    { height, hash, parentHash, timeMs }: ObservedBlock,
    deposits: readonly DepositId[],
  ): void {
    putBlock(commit, network, { height, hash, parentHash, timeMs, deposits })
  }

  private setConfirmed(commit: Commit, network: Network, confirmed: number, blocksBrought: number): void {
    putConfirmed(commit, network, confirmed)
    for (const row of blocksBelow(commit, network, confirmed - CONFIRMED_BLOCKS_KEPT, blocksBrought + PRUNED_MAX)) {
      removeBlock(commit, network, row)
    }
  }
}

function sightingOf(network: Network, block: ObservedBlock, transfer: ObservedTransfer): Sighting {
  const { txHash, index, toAddress, currency, amount } = transfer
  return { network, txHash, index, toAddress, currency, amount, receivedAt: block.timeMs }
}

/** An index has no colon. */
function nameOf({ txHash, index }: DepositId): string {
  return `${index}:${txHash}`
}
