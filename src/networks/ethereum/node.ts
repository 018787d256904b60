import type { BlockHead, ObservedBlock } from '../../domain/block.js'
import { AdaptiveWidth } from '../adaptive-width.js'
import { WrongNode } from '../network-reader.js'
import type { JsonRpc, RpcCall } from '../node/json-rpc.js'
import { BadAnswer, isPerhapsTooLarge, NodeFailure, RpcFailure } from '../node/node-failure.js'
import { listOf } from '../node/values.js'
import { type EthereumBlock, readBlock, readHead } from './block.js'
import type { EthereumFilter } from './filter.js'
import { readReceipt } from './receipt.js'
import { checkToken, type EthereumToken } from './token.js'
import { observePayments, observeWhole } from './transfers.js'
import { countOf, quantityText } from './values.js'

/** Blocks in the first range. */
const RANGE_START = 16

/** JSON-RPC 2.0, 5.1. */
const METHOD_NOT_FOUND = -32601

/**
 * Queries to one Ethereum node, adapted to the sizes that it accepts. Rejects with `NodeFailure`.
 *
 * Logs are taken from receipts, not from `eth_getLogs`, which silently omits logs where an index is missing or a
 * replica lags. All receipts of a block can be checked against its header.
 */
export class EthereumNode {
  private readonly range: AdaptiveWidth
  private hasBlockReceipts = true

  constructor(
    private readonly rpc: JsonRpc,
    /** Maximum blocks in a range. */
    rangeMax: number,
  ) {
    this.range = new AdaptiveWidth(RANGE_START, rangeMax)
  }

  /** Rejects with `WrongNode` unless the node is of this chain and knows the token with its decimals. */
  async check(chainId: number, token: EthereumToken): Promise<void> {
    const told = countOf(await this.rpc.call('eth_chainId', []), 'chain id')
    if (told !== chainId) throw new WrongNode(`the chain id is ${told}, configured is ${chainId}`)
    await checkToken(this.rpc, token)
  }

  latest(): Promise<BlockHead> {
    return this.rpc.call('eth_getBlockByNumber', ['latest', false]).then(readHead)
  }

  /** The newest finalized block, null while there is none. */
  async finalized(): Promise<BlockHead | null> {
    const head = await this.rpc.call('eth_getBlockByNumber', ['finalized', false])
    return head === null ? null : readHead(head)
  }

  /** The block at a height, null when the node has none. */
  async block(height: number, filter: EthereumFilter): Promise<ObservedBlock | null> {
    const { method, params } = blockCall(height)
    const answer = await this.rpc.call(method, params)
    if (answer === null) return null
    const [observed] = await this.observe([readBlock(answer, height, filter.isWatched)], filter)
    return observed ?? null
  }

  /** Consecutive blocks from a height on, at most up to another, as many as the node returns at once. */
  async blocks(from: number, to: number, filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const width = Math.min(this.range.value, to - from + 1)
    try {
      const observed = await this.observe(await this.chainOf(from, width, filter), filter)
      this.range.succeeded()
      return observed
    } catch (error) {
      // Whatever the failure: with smaller queries, a node that is slow or counts requests gets further.
      if (error instanceof NodeFailure) this.range.refused(width)
      throw error
    }
  }

  /** This many full blocks from a height on, each the parent of the next. */
  private async chainOf(from: number, width: number, filter: EthereumFilter): Promise<readonly EthereumBlock[]> {
    const calls = Array.from({ length: width }, (_, i) => blockCall(from + i))
    const blocks = await this.rpc.all(calls, (answer, i) => {
      if (answer === null) throw new BadAnswer(`the node does not have block ${from + i}`)
      return readBlock(answer, from + i, filter.isWatched)
    })
    if (!blocks.every(({ parentHash }, i) => i === 0 || parentHash === blocks[i - 1]?.hash)) {
      throw new BadAnswer('the blocks of a range are no chain')
    }
    return blocks
  }

  /** Fetches the receipts that decide which transfers blocks have. */
  private async observe(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const whole = blocks.filter((block) => filter.mayMatchLogs(block))
    const rest = blocks.filter((block) => !whole.includes(block))
    const observed = [...(await this.observePayments(rest, filter)), ...(await this.observeWhole(whole, filter))]
    if (observed.length !== blocks.length) throw new BadAnswer('a block was not told')
    return observed.sort((a, b) => a.height - b.height)
  }

  /** Blocks without relevant logs: the receipts of their payments, of all blocks together. */
  private async observePayments(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<ObservedBlock[]> {
    const hashes = blocks.flatMap(({ payments, txHashes }) => payments.map(({ txIndex }) => txHashes[txIndex]))
    const receipts = await this.rpc.all(hashes.map(receiptCall), readReceipt)
    let taken = 0
    return blocks.map((block) => {
      const own = receipts.slice(taken, taken + block.payments.length)
      taken += own.length
      return observePayments(block, own, filter)
    })
  }

  /** Blocks with possibly relevant logs: all receipts of each, in one answer where the node supports it. */
  private async observeWhole(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<ObservedBlock[]> {
    if (this.hasBlockReceipts) {
      try {
        // The first one alone: a batch that is refused would be retried in ever smaller parts.
        return [
          ...(await this.observeByBlock(blocks.slice(0, 1), filter)),
          ...(await this.observeByBlock(blocks.slice(1), filter)),
        ]
      } catch (error) {
        if (!isPerhapsTooLarge(error)) throw error
        if (error instanceof RpcFailure && error.code === METHOD_NOT_FOUND) this.hasBlockReceipts = false
      }
    }
    const observed: ObservedBlock[] = []
    for (const block of blocks) {
      const receipts = await this.rpc.all(block.txHashes.map(receiptCall), readReceipt)
      observed.push(observeWhole(block, receipts, filter))
    }
    return observed
  }

  /** Only the receipts of one batch are in memory at a time. */
  private observeByBlock(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const calls = blocks.map(({ height }) => ({ method: 'eth_getBlockReceipts', params: [quantityText(height)] }))
    return this.rpc.all(calls, (answer, i) =>
      observeWhole(blocks[i] as EthereumBlock, listOf(answer, 'receipts of a block').map(readReceipt), filter),
    )
  }
}

function blockCall(height: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [quantityText(height), true] }
}

function receiptCall(txHash: string | undefined): RpcCall {
  return { method: 'eth_getTransactionReceipt', params: [txHash] }
}
