import { type NameInNetwork, nameOf } from '../../../domain/aside.js'
import type { Network } from '../../../domain/network.js'
import type { BlockWork } from '../../rules/chain-work.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import {
  forgetChain,
  type HeldDeposit,
  holdDeposit,
  holdersOf,
  positionOf,
  putBlock,
  putConfirmed,
  releaseDeposit,
  removeBlocks,
} from './block-rows.js'

/** The blocks of a network whose chain is locked. */
export function blocksOf(work: Work, network: Network, holders: Holders): BlockWork {
  return {
    position: () => positionOf((fragment) => work.rows(fragment), network),
    put: (block) => putBlock(work, network, block),
    removeAbove: (above) => removeBlocks(work, network, (height) => sql`${height} > ${above}::bigint`),
    removeBelow: (below) => removeBlocks(work, network, (height) => sql`${height} < ${below}::bigint`),
    putConfirmed: (height) => putConfirmed(work, network, height),
    forget: () => forgetChain(work, network),
    holderOf: (name) => holders.of(name),
    hold: (name, height, place) => holders.hold({ ...name, height }, place),
    release: (name) => holders.release(name),
  }
}

/** Which block of a chain, which is locked, holds each deposit that a step names. All are read at once. */
export class Holders {
  private constructor(
    private readonly work: Work,
    private readonly network: Network,
    private readonly heights: Map<string, number | undefined>,
  ) {}

  static async read(work: Work, network: Network, names: readonly NameInNetwork[]): Promise<Holders> {
    const heights = new Map<string, number | undefined>(names.map((name) => [nameOf(name), undefined]))
    for (const held of await holdersOf(work, network, names)) heights.set(nameOf(held), held.height)
    return new Holders(work, network, heights)
  }

  /** Height of the block that holds a deposit. */
  of(name: NameInNetwork): number | undefined {
    const key = nameOf(name)
    if (!this.heights.has(key)) throw new Error('a step names a deposit of which it has not read the block')
    return this.heights.get(key)
  }

  /** Lets a block hold a deposit, as its `place`-th. */
  hold(held: HeldDeposit, place: number): void {
    this.heights.set(nameOf(held), held.height)
    holdDeposit(this.work, this.network, held, place)
  }

  release(name: NameInNetwork): void {
    this.heights.set(nameOf(name), undefined)
    releaseDeposit(this.work, this.network, name)
  }
}
