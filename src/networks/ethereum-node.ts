import type { BlockHead, ObservedBlock } from '../domain/block.js'
import { AdaptiveWidth } from './adaptive-width.js'
import { type EthereumBlock, readBlock, readHead } from './ethereum-block.js'
import type { EthereumFilter } from './ethereum-filter.js'
import { type EthereumLog, readLog } from './ethereum-log.js'
import { type EthereumReceipt, readReceipt } from './ethereum-receipt.js'
import { checkToken, type EthereumToken } from './ethereum-token.js'
import { decisiveTransactions, type FoundLogs, judgeLogs, observedBlock } from './ethereum-transfers.js'
import { countOf, listOf, quantityText } from './ethereum-values.js'
import type { JsonRpc } from './json-rpc.js'
import { WrongNode } from './network-reader.js'
import { BadAnswer, isPerhapsTooLarge, NodeFailure, RpcFailure } from './node-failure.js'

/** Blocks of a range at first. */
const RANGE_START = 16
/** With more logs than this a range is asked in parts: some nodes cut long answers without saying so. */
const LOGS_WANTED_MAX = 1000

/** JSON-RPC 2.0, 5.1. */
const METHOD_NOT_FOUND = -32601

/** A block on the way to its transfers. */
interface JudgedBlock {
  readonly block: EthereumBlock
  readonly found: FoundLogs
}

/** Questions to one Ethereum node, and what was learned about what it takes. Rejects with `NodeFailure`. */
export class EthereumNode {
  private readonly range: AdaptiveWidth
  private hasBlockReceipts = true

  constructor(
    private readonly rpc: JsonRpc,
    /** Most blocks of a range. */
    rangeMax: number,
  ) {
    this.range = new AdaptiveWidth(RANGE_START, rangeMax)
  }

  /** Rejects with `WrongNode` unless the node is of the chain and knows the token with its decimals. */
  async check(chainId: number, token: EthereumToken): Promise<void> {
    const told = countOf(await this.rpc.call('eth_chainId', []), 'chain id')
    if (told !== chainId) throw new WrongNode(`the chain id is ${told}, configured is ${chainId}`)
    await checkToken(this.rpc, token)
  }

  latest(): Promise<BlockHead> {
    return this.rpc.call('eth_getBlockByNumber', ['latest', false]).then(readHead)
  }

  /** The newest block that the chain's consensus will not take back, null while there is none. */
  async finalized(): Promise<BlockHead | null> {
    const head = await this.rpc.call('eth_getBlockByNumber', ['finalized', false])
    return head === null ? null : readHead(head)
  }

  /** The block at a height, null when the node has none. */
  async block(height: number, filter: EthereumFilter): Promise<ObservedBlock | null> {
    const answer = await this.rpc.call('eth_getBlockByNumber', [quantityText(height), true])
    if (answer === null) return null
    const block = readBlock(answer, height, filter.isWatched)
    const logs = await this.logs({ blockHash: block.hash }, filter)
    const [observed] = await this.observe([{ block, found: judgeLogs(block, logs, filter) }], filter)
    if (observed === undefined) throw new BadAnswer('a block was not told')
    return observed
  }

  /** Consecutive blocks from a height on, at most up to another, as many as the node takes at once. */
  async blocks(from: number, to: number, filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const { until, logs } = await this.logsOfRange(from, to, filter)
    const width = until - from + 1
    try {
      const blocks = await this.chainOf(from, width, filter)
      const observed = await this.observe(judgedBlocks(blocks, logs, filter), filter)
      this.range.succeeded()
      return observed
    } catch (error) {
      // Whatever it was: less at once gets further with a node that is slow or counts requests.
      if (error instanceof NodeFailure) this.range.refused(width)
      throw error
    }
  }

  /** The logs of as long a range as the node takes: every error may mean that the range is too long. */
  private async logsOfRange(
    from: number,
    to: number,
    filter: EthereumFilter,
  ): Promise<{ readonly until: number; readonly logs: readonly EthereumLog[] }> {
    for (;;) {
      const width = Math.min(this.range.value, to - from + 1)
      const until = from + width - 1
      try {
        const logs = await this.logs({ fromBlock: quantityText(from), toBlock: quantityText(until) }, filter)
        if (logs.length <= LOGS_WANTED_MAX || width === 1) return { until, logs }
      } catch (error) {
        if (width === 1 || !isPerhapsTooLarge(error)) throw error
      }
      this.range.refused(width)
    }
  }

  private async logs(where: Readonly<Record<string, string>>, filter: EthereumFilter): Promise<readonly EthereumLog[]> {
    const { conditions } = filter
    if (conditions === null) return []
    return listOf(await this.rpc.call('eth_getLogs', [{ ...where, ...conditions }]), 'logs').map(readLog)
  }

  /** So many full blocks from a height on, each the parent of the next. */
  private async chainOf(from: number, width: number, filter: EthereumFilter): Promise<readonly EthereumBlock[]> {
    const calls = Array.from({ length: width }, (_, i) => ({
      method: 'eth_getBlockByNumber',
      params: [quantityText(from + i), true],
    }))
    const blocks = await this.rpc.all(calls, (answer, i) => {
      if (answer === null) throw new BadAnswer(`the node does not have block ${from + i}`)
      return readBlock(answer, from + i, filter.isWatched)
    })
    if (!blocks.every(({ parentHash }, i) => i === 0 || parentHash === blocks[i - 1]?.hash)) {
      throw new BadAnswer('the blocks of a range are no chain')
    }
    return blocks
  }

  /** Fetches the receipts that decide, and finishes the blocks. */
  private async observe(judged: readonly JudgedBlock[], filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const certain = judged.filter(({ found }) => !found.isDoubtful)
    const doubtful = judged.filter(({ found }) => found.isDoubtful)
    const observed = [
      ...(await this.observeByReceipt(certain, filter)),
      ...(await this.observeDoubtful(doubtful, filter)),
    ]
    if (observed.length !== judged.length) throw new BadAnswer('a block was not told')
    return observed.sort((a, b) => a.height - b.height)
  }

  /** By the receipts of single transactions, of all blocks together. */
  private async observeByReceipt(judged: readonly JudgedBlock[], filter: EthereumFilter): Promise<ObservedBlock[]> {
    const asked = judged.flatMap(({ block, found }) =>
      decisiveTransactions(block, found, filter).map((place) => ({ block, txHash: block.txHashes[place] })),
    )
    const calls = asked.map(({ txHash }) => ({ method: 'eth_getTransactionReceipt', params: [txHash] }))
    const receipts = await this.rpc.all(calls, readReceipt)
    const byBlock = new Map(judged.map(({ block }) => [block, [] as EthereumReceipt[]]))
    for (const [i, receipt] of receipts.entries()) byBlock.get(asked[i]?.block as EthereumBlock)?.push(receipt)
    return judged.map(({ block, found }) => observedBlock(block, found, byBlock.get(block) ?? [], filter))
  }

  /** By all receipts of each block, in one answer where the node knows how. No more than a batch of them is kept. */
  private async observeDoubtful(judged: readonly JudgedBlock[], filter: EthereumFilter): Promise<ObservedBlock[]> {
    if (this.hasBlockReceipts) {
      try {
        // The first one alone: a batch that is refused would be asked again in ever smaller parts.
        return [
          ...(await this.observeByBlockReceipts(judged.slice(0, 1), filter)),
          ...(await this.observeByBlockReceipts(judged.slice(1), filter)),
        ]
      } catch (error) {
        if (!isPerhapsTooLarge(error)) throw error
        if (error instanceof RpcFailure && error.code === METHOD_NOT_FOUND) this.hasBlockReceipts = false
      }
    }
    const observed: ObservedBlock[] = []
    for (const each of judged) observed.push(...(await this.observeByReceipt([each], filter)))
    return observed
  }

  private observeByBlockReceipts(
    judged: readonly JudgedBlock[],
    filter: EthereumFilter,
  ): Promise<readonly ObservedBlock[]> {
    const calls = judged.map(({ block }) => ({
      method: 'eth_getBlockReceipts',
      params: [quantityText(block.height)],
    }))
    return this.rpc.all(calls, (answer, i) => {
      const { block, found } = judged[i] as JudgedBlock
      return observedBlock(block, found, listOf(answer, 'receipts of a block').map(readReceipt), filter)
    })
  }
}

/** Gives every block the logs that name its height. */
function judgedBlocks(
  blocks: readonly EthereumBlock[],
  logs: readonly EthereumLog[],
  filter: EthereumFilter,
): readonly JudgedBlock[] {
  const byHeight = new Map(blocks.map(({ height }) => [height, [] as EthereumLog[]]))
  for (const log of logs) {
    const own = byHeight.get(log.height)
    if (own === undefined) throw new BadAnswer('a log is of a block outside the range')
    own.push(log)
  }
  return blocks.map((block) => ({ block, found: judgeLogs(block, byHeight.get(block.height) ?? [], filter) }))
}
