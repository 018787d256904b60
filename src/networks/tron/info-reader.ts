import type { WatchedAddresses } from '../../domain/block.js'
import { BadAnswer, demand, isMissingMethod, mayDoOtherwise, type NodeFailure, UnfitNode } from '../node/answer.js'
import { fields, scalar } from '../node/json-shape.js'
import type { TronBlock } from './block.js'
import { BlockInfos, infoFields, type TokenLabels } from './infos.js'
import type { Ladder, Rung } from './ladder.js'
import type { Side } from './side.js'
import type { TronApi } from './tron-api.js'
import { wordOf } from './values.js'

/** Infos that are asked for in parallel. */
const AT_ONCE = 4
/** What a node that has no infos lacks. */
export const NO_HISTORY =
  'the node keeps no infos of transactions, without which payments in tokens are not seen: set storage.transHistory.switch = "on" in its configuration, and name another node for the blocks that it has without them'

/** A solidified block with calls of contracts, of which the node says that it has no info at all. */
export class NoInfos extends BadAnswer {
  constructor(
    readonly height: number,
    cause: NodeFailure,
  ) {
    super(cause.message)
    this.question = cause.question
  }
}

/** Reads the infos of a block's transactions from one node: of the whole block at once, or one by one. */
export class InfoReader {
  constructor(
    private readonly api: TronApi,
    private readonly ladder: Ladder,
    /** Those that are read now. */
    private readonly tokens: () => TokenLabels,
  ) {}

  /** The infos of these transactions at least. Rejects unless the node gives all of them, with `NoInfos` where it has none. */
  async infos(
    side: Side,
    block: TronBlock,
    needed: readonly string[],
    watched: WatchedAddresses,
    isSolid: boolean,
  ): Promise<BlockInfos> {
    const reading = new Reading(this.api, side, block, needed, infoFields(this.tokens(), watched))
    try {
      await this.ladder.first([reading.wholly, reading.singly])
    } catch (error) {
      if (!isSolid || !reading.isNothing || !mayDoOtherwise(error) || error instanceof UnfitNode) throw error
      throw new NoInfos(block.height, error)
    }
    await reading.demandNoneLeftOut()
    return reading.infos
  }

  /** An attempt at the infos of a block, whose ways the operator tries one by one. */
  attempt(side: Side, block: TronBlock, needed: readonly string[]): Reading {
    const nobody = { has: () => false, few: () => [] }
    return new Reading(this.api, side, block, needed, infoFields(this.tokens(), nobody))
  }
}

/** One attempt at the infos of a block. What one way has brought is kept for the next. */
export class Reading {
  readonly infos: BlockInfos
  /** How many infos came for the whole block; null when no list came. */
  private told: number | null = null

  constructor(
    private readonly api: TronApi,
    private readonly side: Side,
    private readonly block: TronBlock,
    private readonly needed: readonly string[],
    private readonly shapes: ReturnType<typeof infoFields>,
  ) {
    this.infos = new BlockInfos(block)
  }

  /** Whether the node says that there is no info at all. */
  get isNothing(): boolean {
    return this.told === 0 && this.infos.isEmpty
  }

  get wholly(): Rung<void> {
    const path = `${this.side}/gettransactioninfobyblocknum`
    const ask = async () => {
      this.told = null
      let told = 0
      const isList = await this.api.list(path, { num: this.block.height }, fields(this.shapes), (info) => {
        told += 1
        this.infos.take(info)
      })
      if (isList) this.told = told
    }
    const climb = async () => {
      await ask()
      // Another machine behind the same address may have them.
      if (this.told === 0 && this.missing().length > 0) await ask()
      const lacking = this.missing().length
      demand(lacking === 0, `${path}: block ${this.block.height}: no infos of ${lacking} transactions`)
    }
    return { path, climb }
  }

  get singly(): Rung<void> {
    const path = `${this.side}/gettransactioninfobyid`
    const read = async (id: string) => {
      this.infos.take(await this.api.object(path, { value: id }, this.shapes))
      demand(this.infos.of(id) !== undefined, `${path}: block ${this.block.height}: no info of ${id}`)
    }
    const climb = async () => {
      const [first, ...rest] = this.missing()
      // Alone, because a node that lacks it mostly lacks all.
      if (first !== undefined) await read(first)
      for (let next = 0; next < rest.length; next += AT_ONCE) {
        await Promise.all(rest.slice(next, next + AT_ONCE).map(read))
      }
    }
    return { path, climb }
  }

  private missing(): readonly string[] {
    return this.needed.filter((id) => this.infos.of(id) === undefined)
  }

  /** A transaction that has an info in this block, and that the node knows, is one that its answer about the block lacks. */
  async demandNoneLeftOut(): Promise<void> {
    const { side, block } = this
    for (const value of this.infos.strangers) {
      const known = await this.api
        .object(`${side}/gettransactionbyid`, { value }, { txID: scalar })
        .catch((error: unknown) => {
          if (!isMissingMethod(error)) throw error
          return { txID: undefined }
        })
      demand(wordOf(known.txID) === null, `block ${block.height}: transaction ${value} is left out`)
    }
  }
}
