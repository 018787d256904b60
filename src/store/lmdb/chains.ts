import type { ChainRefusal, ChainStep, ObservedBlock, ObservedTransfer } from '../../domain/block.js'
import { CONFIRMED_BLOCKS_KEPT, confirmedAfterUndo, mayAppend, mayConfirm } from '../../domain/chain.js'
import { conflictOf, flawOf, type Sighting } from '../../domain/deposit.js'
import type { Network, TokenDecimals } from '../../domain/network.js'
import type { BlockRow, BlockRows, DepositId } from './block-rows.js'
import { ChainEffects, type TakenStep } from './chain-effects.js'
import type { DepositRows } from './deposit-rows.js'
import type { Deposits } from './deposits.js'

/** Blocks that one step stops keeping at the most, beyond as many as it brings. */
const PRUNED_MAX = 256

/** Takes the steps of the watchers: blocks, and the deposits that live and die with them, all in one transaction. */
export class Chains {
  constructor(
    private readonly blocks: BlockRows,
    private readonly rows: DepositRows,
    private readonly deposits: Deposits,
    private readonly tokenDecimals: TokenDecimals,
  ) {}

  take(step: ChainStep, nowMs: number, newId: (nowMs: number) => Buffer): TakenStep {
    const effects = new ChainEffects(step.network, this.rows, this.deposits, nowMs, newId)
    const refusal = this.perform(step, effects)
    return refusal === null ? effects.taken() : { outcome: { status: 'refused', reason: refusal }, owed: [] }
  }

  /** Settles what the deposits of a step will meet, a bounded piece of it; false when there is more. */
  settle(step: ChainStep, nowMs: number): boolean {
    if (step.type !== 'append' && step.type !== 'confirm') return true
    const { network, blocks } = step
    const sightings = blocks.flatMap((block) => block.transfers.map((transfer) => sightingOf(network, block, transfer)))
    return this.deposits.settle(sightings, nowMs)
  }

  /** Addresses, each once, whose deposits a step reports something of. */
  addressesOf(step: ChainStep): readonly string[] {
    const addresses = new Set<string>()
    const add = (id: DepositId) => {
      const deposit = this.rows.find(step.network, id.txHash, id.index)
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
    for (const row of this.rowsOf(step)) for (const id of row.deposits) add(id)
    return [...addresses]
  }

  /** The blocks there are whose deposits a step is about. */
  private rowsOf(step: ChainStep): readonly BlockRow[] {
    switch (step.type) {
      case 'append':
      case 'forget':
        return []
      case 'confirm':
        return step.blocks
          .map(({ height }) => this.blocks.find(step.network, height))
          .filter((row) => row !== undefined)
      case 'undo':
        return this.rowsAbove(step.network, step.above)
    }
  }

  /** Null when the step was taken; nothing is written otherwise. */
  private perform(step: ChainStep, effects: ChainEffects): ChainRefusal | null {
    switch (step.type) {
      case 'append':
        return this.append(step, effects)
      case 'confirm':
        return this.confirm(step, effects)
      case 'undo':
        return this.undo(step, effects)
      case 'forget':
        this.blocks.forget(step.network)
        return null
    }
  }

  private append(step: Extract<ChainStep, { type: 'append' }>, effects: ChainEffects): ChainRefusal | null {
    const { network, blocks, isConfirmed } = step
    const position = this.blocks.position(network) ?? null
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
        const known = this.rows.find(network, transfer.txHash, transfer.index)
        const isHeld = this.blocks.holderOf(network, transfer) !== undefined
        // What others said of it gives way to a confirmed block. Until a block is confirmed the first word stands.
        if (isConfirmed && !isHeld && this.isOtherwise(sighting)) {
          effects.retract(sighting)
          effects.repaired += 1
        }
        if (effects.report(report, sighting) === 'rejected') continue
        // A lower block has it already, or somebody else has confirmed it: it stays, whatever becomes of this block.
        const isOthers = isHeld || (known?.kind === 'confirmed' && !isConfirmed)
        if (!isOthers) held.push(this.hold(network, transfer, block.height))
      }
      this.put(network, block, held)
    }
    const confirmed = isConfirmed ? (blocks.at(-1)?.height ?? 0) : (position?.confirmed ?? (blocks[0]?.height ?? 0) - 1)
    this.setConfirmed(network, confirmed, blocks.length)
    return null
  }

  private confirm(step: Extract<ChainStep, { type: 'confirm' }>, effects: ChainEffects): ChainRefusal | null {
    const { network, blocks } = step
    if (!mayConfirm(this.blocks.position(network) ?? null, blocks)) return 'not_next'
    const isSame = blocks.every(({ height, hash }) => this.blocks.get(network, height).hash === hash)
    if (!isSame) return 'not_same'
    for (const block of blocks) this.confirmBlock(network, block, effects)
    this.setConfirmed(network, blocks.at(-1)?.height ?? 0, blocks.length)
    return null
  }

  /** Makes a block's deposits what it was now read to hold, and confirms them. */
  private confirmBlock(network: Network, block: ObservedBlock, effects: ChainEffects): void {
    const sightings = block.transfers.map((transfer) => sightingOf(network, block, transfer))
    const actual = new Set(sightings.filter((sighting) => !this.isFlawed(sighting)).map(nameOf))
    for (const id of this.blocks.get(network, block.height).deposits) {
      if (actual.has(nameOf(id))) continue
      effects.drop(id)
      effects.repaired += 1
      this.blocks.release(network, id)
    }
    // By name: what a block was told to hold twice, it holds once.
    const held = new Map<string, DepositId>()
    for (const sighting of sightings) {
      if (this.isFlawed(sighting)) {
        effects.report('confirmed', sighting)
        continue
      }
      const holder = this.blocks.holderOf(network, sighting)
      if (holder !== undefined && holder < block.height) continue
      const isElsewhere = holder !== undefined && holder > block.height
      if (isElsewhere) this.takeFrom(network, sighting, holder)
      const isWrong = isElsewhere || this.isOtherwise(sighting)
      // What was said before is taken back, so that the deposit is recorded anew as it is.
      if (isWrong) effects.retract(sighting)
      const status = effects.report('confirmed', sighting)
      if (isWrong || (holder === undefined && status === 'applied')) effects.repaired += 1
      held.set(nameOf(sighting), this.hold(network, sighting, block.height))
    }
    this.put(network, block, [...held.values()])
  }

  private undo(step: Extract<ChainStep, { type: 'undo' }>, effects: ChainEffects): ChainRefusal | null {
    const { network, above } = step
    const position = this.blocks.position(network)
    if (position === undefined || this.blocks.find(network, above) === undefined) return 'no_ancestor'
    for (const row of this.rowsAbove(network, above)) {
      for (const id of row.deposits) effects.drop(id)
      this.blocks.remove(network, row)
      if (row.height <= position.confirmed) effects.confirmedBlocksUndone += 1
    }
    this.blocks.setConfirmed(network, confirmedAfterUndo(position, above))
    return null
  }

  /** Newest first, as they were built on one another. */
  private rowsAbove(network: Network, above: number): readonly BlockRow[] {
    const rows: BlockRow[] = []
    const tip = this.blocks.position(network)?.tip.height ?? -1
    for (let height = tip; height > above; height -= 1) {
      const row = this.blocks.find(network, height)
      if (row === undefined) break
      rows.push(row)
    }
    return rows
  }

  private hold(network: Network, { txHash, index }: DepositId, height: number): DepositId {
    this.blocks.hold(network, { txHash, index }, height)
    return { txHash, index }
  }

  /** A higher block was wrongly said to have a deposit: it does not hold it any more. */
  private takeFrom(network: Network, id: DepositId, holder: number): void {
    const row = this.blocks.get(network, holder)
    this.blocks.put(network, { ...row, deposits: row.deposits.filter((one) => nameOf(one) !== nameOf(id)) })
  }

  /** What cannot be recorded may not even make a key. */
  private isFlawed(sighting: Sighting): boolean {
    return flawOf(sighting, this.tokenDecimals) !== null
  }

  private isOtherwise(sighting: Sighting): boolean {
    const known = this.rows.find(sighting.network, sighting.txHash, sighting.index)
    return known !== undefined && known.kind !== 'dropped' && conflictOf(known, sighting, this.tokenDecimals) !== null
  }

  private put(
    network: Network,
    { height, hash, parentHash, timeMs }: ObservedBlock,
    deposits: readonly DepositId[],
  ): void {
    this.blocks.put(network, { height, hash, parentHash, timeMs, deposits })
  }

  private setConfirmed(network: Network, confirmed: number, blocksBrought: number): void {
    this.blocks.setConfirmed(network, confirmed)
    for (const row of this.blocks.below(network, confirmed - CONFIRMED_BLOCKS_KEPT, blocksBrought + PRUNED_MAX)) {
      this.blocks.remove(network, row)
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
