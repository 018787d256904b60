import { isChildOf, type ObservedBlock, type ObservedTransfer, type WatchedAddresses } from '../../src/domain/block.js'
import type { Network } from '../../src/domain/network.js'
import { type AgedHead, type NetworkReader, NodeUnavailable } from '../../src/networks/network-reader.js'
import type { Random } from '../simulation/random.js'
import type { SimulatedBlock, SimulatedChain } from './simulated-chain.js'

/** How often a simulated node misbehaves, from 0 to 1. */
export interface Faults {
  /** It does not answer. */
  readonly unavailable: number
  /** It is behind: it tells an old head, lacks blocks, or has those of a branch that was replaced. */
  readonly lagging: number
  /** Of a block that is not confirmed it lacks transfers, makes some up, or has their amounts wrong. */
  readonly mistaken: number
  /** Blocks that it gives at once at the most. */
  readonly rangeMax: number
}

export const NO_FAULTS: Faults = { unavailable: 0, lagging: 0, mistaken: 0, rangeMax: 50 }

const CHANGES_BEHIND_MAX = 12

/** Reads a simulated chain as a reader of a real network would, through nodes that misbehave as told. */
export class SimulatedReader implements NetworkReader {
  faults: Faults = NO_FAULTS
  /** Questions so far, by kind. */
  readonly asked = { verify: 0, distrust: 0, head: 0, block: 0, blocks: 0, again: 0, linkOf: 0 }
  /** Heights of blocks that no node can give. */
  readonly unreadable = new Set<number>()
  /** By height: a transaction of the block of which no node tells what it pays. */
  readonly untold = new Map<number, string>()
  /** Whether nodes tell where such a block is in the chain. */
  isLinkTold = true
  isClosed = false
  /** Age of the newest block. */
  ageMs = 0
  private madeUp = 0

  constructor(
    private readonly chain: SimulatedChain,
    private readonly random: Random,
    readonly network: Network = 'SEP',
  ) {}

  async verify(): Promise<void> {
    this.asked.verify += 1
    this.mayFail()
  }

  async head(): Promise<AgedHead> {
    this.asked.head += 1
    this.mayFail()
    const latest = this.view().length - 1
    return { latest, confirmed: this.chain.confirmedBelow(latest), ageMs: this.ageMs }
  }

  async timeOf(height: number): Promise<number | null> {
    this.mayFail()
    return this.view()[height]?.timeMs ?? null
  }

  async block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    this.asked.block += 1
    this.mayFail()
    const block = this.view()[height]
    if (block === undefined) return null
    this.mayNotRead(height, height)
    const seen = this.observed(block, watched)
    const isConfirmed = this.chain.present[height]?.hash === block.hash && height <= this.chain.confirmed
    return isConfirmed || !this.random.chance(this.faults.mistaken) ? seen : this.mistake(seen)
  }

  async fresh(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const blocks: ObservedBlock[] = []
    const last = Math.min(to, from + this.random.between(1, this.faults.rangeMax) - 1)
    for (let height = from; height <= last; height += 1) {
      const block = await this.block(height, watched)
      const before = blocks.at(-1)
      if (block === null || (before !== undefined && !isChildOf(block, before))) break
      blocks.push(block)
    }
    return blocks
  }

  async blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    this.asked.blocks += 1
    this.mayFail()
    if (to > this.chain.confirmed || from > to) throw new NodeUnavailable('simulated: not confirmed')
    const width = this.random.between(1, this.faults.rangeMax)
    this.mayNotRead(from, Math.min(to, from + width - 1))
    return this.chain.present.slice(from, Math.min(to + 1, from + width)).map((block) => this.observed(block, watched))
  }

  async again(height: number, watched: WatchedAddresses): Promise<ObservedBlock> {
    this.asked.again += 1
    const block = this.chain.present[height]
    if (block === undefined || this.unreadable.has(height)) throw new NodeUnavailable('simulated: unreadable')
    return this.observed(block, watched)
  }

  async linkOf(height: number) {
    this.asked.linkOf += 1
    const block = this.isLinkTold ? this.chain.present[height] : undefined
    return block === undefined ? null : { hash: block.hash, parentHash: block.parentHash }
  }

  distrust(): void {
    this.asked.distrust += 1
  }

  async examine() {
    return []
  }

  problem() {
    return null
  }

  endpoints() {
    return []
  }

  callsPerSecond() {
    return Number.POSITIVE_INFINITY
  }

  async close(): Promise<void> {
    this.isClosed = true
  }

  private observed(block: SimulatedBlock, watched: WatchedAddresses): ObservedBlock {
    const bad = this.untold.get(block.height)
    const told = block.transfers.filter(({ toAddress, txHash }) => watched.has(toAddress) && txHash !== bad)
    const untold = bad === undefined ? {} : { untold: { txHashes: [bad], reason: 'simulated: not traced' } }
    return { ...block, transfers: told, ...untold }
  }

  private view(): readonly SimulatedBlock[] {
    if (!this.random.chance(this.faults.lagging)) return this.chain.present
    return this.chain.was(this.random.between(1, CHANGES_BEHIND_MAX))
  }

  private mistake(block: ObservedBlock): ObservedBlock {
    const { random } = this
    const [first, ...rest] = block.transfers
    switch (random.weighted({ lacking: 4, wrong: 2, madeUp: 2 })) {
      case 'lacking':
        return { ...block, transfers: block.transfers.filter(() => random.chance(0.4)) }
      case 'wrong':
        return first === undefined
          ? block
          : { ...block, transfers: [{ ...first, amount: `${first.amount}1` }, ...rest] }
      case 'madeUp': {
        if (first === undefined) return block
        this.madeUp += 1
        const transfer: ObservedTransfer = { ...first, txHash: `made-up-${this.madeUp}` }
        return { ...block, transfers: [...block.transfers, transfer] }
      }
    }
  }

  private mayNotRead(from: number, to: number): void {
    const isUnreadable = [...this.unreadable].some((height) => height >= from && height <= to)
    if (isUnreadable) throw new NodeUnavailable('simulated: unreadable', null, null, true)
  }

  private mayFail(): void {
    if (this.random.chance(this.faults.unavailable)) throw new NodeUnavailable('simulated: no answer')
  }
}
