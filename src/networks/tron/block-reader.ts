import { type BlockHead, isConsecutive, type ObservedBlock, type WatchedAddresses } from '../../domain/block.js'
import { type BlockTime, millisecond } from '../../domain/received-at.js'
import { demand, HttpFailure, isMissingMethod, MissingBlock, mayDoOtherwise } from '../node/answer.js'
import { fields, items, scalar } from '../node/json-shape.js'
import { BLOCK_FIELDS, HEAD_FIELDS, isNothing, readBlock, readNewestHead, type TronBlock } from './block.js'
import type { InfoReader } from './info-reader.js'
import { BlockInfos } from './infos.js'
import type { Ladder } from './ladder.js'
import { RangeWidth } from './range-width.js'
import type { Side } from './side.js'
import { transactionsThatMention, transactionsToExplain, transfersOf } from './transfers.js'
import type { Parameters, TronApi } from './tron-api.js'
import { demandId, firstOf } from './values.js'

/** Transactions and accounts that are kept of one answer; what is beyond is asked for again. A block has some hundred. */
const KEPT_MAX = 50_000

/** Consecutive blocks of one answer. */
export interface BlockRange {
  readonly blocks: readonly TronBlock[]
  /** How many there were; more than `blocks` when these were as many as are kept. */
  readonly told: number
}

/** Reads blocks and their transfers from one node, in whatever way the node allows. */
export class BlockReader {
  private readonly width = new RangeWidth()

  constructor(
    private readonly api: TronApi,
    private readonly ladder: Ladder,
    private readonly infoReader: InfoReader,
  ) {}

  /** The head of the block that the node calls its newest, in whatever way it tells. */
  newest(side: Side): Promise<BlockHead> {
    const told = (path: string, parameters: Parameters) => ({
      path,
      climb: async () => readNewestHead(await this.api.object(path, parameters, HEAD_FIELDS)),
    })
    const latest = `${side}/getblockbylatestnum`
    const listed = async () => {
      const { block } = await this.api.object(latest, { num: 1 }, { block: firstOf(fields(HEAD_FIELDS)) })
      demand(block !== undefined && block !== null, `${latest}: no block`)
      return readNewestHead(block)
    }
    return this.ladder.first([
      told(`${side}/getnowblock`, {}),
      // Without a height it is the newest one.
      told(`${side}/getblock`, { detail: false }),
      { path: latest, climb: listed },
    ])
  }

  /** The block at a height; null when the node has none. */
  async at(side: Side, height: number): Promise<TronBlock | null> {
    const answer = await this.api.object(`${side}/getblockbynum`, { num: height }, BLOCK_FIELDS)
    return isNothing(answer) ? null : readBlock(answer, height)
  }

  /** The id of the first block. */
  async firstId(side: Side): Promise<string> {
    const path = `${side}/getblockbynum`
    const { blockID } = await this.api.object(path, { num: 0 }, { blockID: scalar })
    return demandId(blockID, `${path}: the first block`)
  }

  /** Up to so many blocks from a height on, in one answer; none when the node does not have the first. */
  async range(side: Side, from: number, count: number): Promise<BlockRange> {
    const what = `blocks from ${from}`
    const blocks = items(fields(BLOCK_FIELDS), () => {
      const kept: TronBlock[] = []
      let told = 0
      let weight = 0
      return {
        take(answer) {
          demand(answer !== null && answer !== undefined && told < count, `${what}: not ${count} blocks`)
          const block = readBlock(answer, from + told)
          told += 1
          if (weight > KEPT_MAX) return
          weight += weightOf(block)
          kept.push(block)
        },
        end: (): BlockRange => ({ blocks: kept, told }),
      }
    })
    // At the end of the chain there is none.
    const range = { startNum: from, endNum: from + count }
    const answer = await this.api.objectOrNothing(rangePath(side), range, { block: blocks })
    const found = answer.block ?? { blocks: [], told: 0 }
    demand(found.told === 0 || isConsecutive(found.blocks), `${what}: not a chain`)
    return found
  }

  /**
   * Up to so many blocks from a height on: as many as the node gives in one answer, or else the first alone. None when the
   * node lacks the first.
   */
  async run(side: Side, from: number, max: number): Promise<readonly TronBlock[]> {
    let isAbsent = false
    const alone = async () => {
      const block = await this.at(side, from)
      isAbsent = block === null
      if (block === null) throw new MissingBlock(`block ${from}: the node does not have it`)
      return [block]
    }
    const single = { path: `${side}/getblockbynum`, climb: alone }
    const several = { path: rangePath(side), climb: () => this.widest(side, from, max) }
    try {
      return await this.ladder.first(Math.min(max, this.width.value) > 1 ? [several, single] : [single])
    } catch (error) {
      if (isAbsent) return []
      throw error
    }
  }

  /** A block with all of its transfers, from the infos of all transactions that can have made some. */
  async observe(side: Side, block: TronBlock, watched: WatchedAddresses): Promise<ObservedBlock> {
    // The first block distributes the initial supply. It has no infos, and is no payment.
    if (block.height === 0) return { ...headOf(block), transfers: [] }
    const needed = transactionsToExplain(block, watched).map(({ id }) => id)
    // Where nothing has to be explained, the infos still show whether the block lacks a transaction.
    const infos =
      block.transactions.length > 0 || block.mayLackTransactions
        ? await this.infoReader.infos(side, block, needed, watched, true)
        : new BlockInfos(block)
    demand(!block.mayLackTransactions || infos.strangers.length === 0, `block ${block.height}: it has transactions`)
    const transfers = transfersOf(block, infos, watched)
    const isAnnounced = transactionsThatMention(block, watched).length > 0
    const unannounced = isAnnounced ? 0 : transfers.filter(({ index }) => index > 0).length
    return { ...headOf(block), transfers, ...(unannounced === 0 ? {} : { unannounced }) }
  }

  /**
   * A new block with the transfers that it announces itself: TRX, and what is paid by calls that name a watched address.
   * Only where there are such calls, infos are asked for; what contracts decide to pay is not seen yet.
   */
  async glimpse(side: Side, block: TronBlock, watched: WatchedAddresses): Promise<ObservedBlock> {
    if (block.height === 0) return { ...headOf(block), transfers: [] }
    const needed = transactionsThatMention(block, watched).map(({ id }) => id)
    const infos =
      needed.length > 0 ? await this.infoReader.infos(side, block, needed, watched, false) : new BlockInfos(block)
    return { ...headOf(block), transfers: transfersOf(block, infos, watched) }
  }

  /** A new block with the transfers that need no info. */
  announced(block: TronBlock, watched: WatchedAddresses): ObservedBlock {
    const transactions = block.transactions.filter(({ result }) => result !== null)
    return { ...headOf(block), transfers: transfersOf({ ...block, transactions }, new BlockInfos(block), watched) }
  }

  /** The most blocks that come in one answer. */
  private async widest(side: Side, from: number, max: number): Promise<readonly TronBlock[]> {
    for (;;) {
      const count = Math.min(max, this.width.value)
      try {
        const { blocks } = await this.range(side, from, count)
        demand(blocks.length > 0, `${rangePath(side)}: no block from ${from} on`)
        const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
        this.width.succeeded(blocks.length, transactions)
        return blocks
      } catch (error) {
        if (!mayDoOtherwise(error)) throw error
        this.width.refused(count)
        const isSlow = error instanceof HttpFailure && error.reason === 'timeout'
        if (isSlow || isMissingMethod(error) || Math.min(max, this.width.value) <= 1) throw error
      }
    }
  }
}

/** The path of the query for several blocks. */
export function rangePath(side: Side): string {
  return `${side}/getblockbylimitnext`
}

function headOf({ height, hash, parentHash, timeMs }: TronBlock): BlockHead & BlockTime {
  return { height, hash, parentHash, ...millisecond(timeMs) }
}

function weightOf({ transactions }: TronBlock): number {
  return transactions.reduce((sum, { mentions }) => sum + 1 + mentions.length, 0)
}
