import type { ObservedBlock } from '../../domain/block.js'
import { demand, isMissingMethod, isPerhapsTooLarge, listOf, MissingBlock } from '../node/answer.js'
import type { JsonRpc, RpcCall } from '../node/json-rpc.js'
import { anything } from '../node/json-shape.js'
import { type EthereumBlock, readReceipt } from './block.js'
import { isOfPrunedHistory } from './pruned-history.js'
import { type EthereumFilter, observePayments, observeWhole } from './transfers.js'
import { quantityText } from './values.js'

/** Reads the receipts that decide which transfers blocks have from one node: of whole blocks, or one by one. */
export class ReceiptReader {
  /** Whether the node may return all receipts of a block at once. */
  private isByBlock = true
  /** Whether it has done so since it was checked. */
  private hasShown = false

  constructor(private readonly rpc: JsonRpc) {}

  /** Forgets what the node has shown: it may be another one by now. */
  forget(): void {
    this.hasShown = false
  }

  /** Blocks with their transfers, in order. */
  async observed(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const whole = blocks.filter((block) => filter.mayMatchLogs(block))
    const rest = blocks.filter((block) => !whole.includes(block))
    const observed = [...(await this.payments(rest, filter)), ...(await this.whole(whole, filter))]
    demand(observed.length === blocks.length, 'a block is missing from the answer')
    return observed.sort((a, b) => a.height - b.height)
  }

  /** The same with all receipts of each block, in one answer where the node supports it. */
  async whole(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<ObservedBlock[]> {
    if (this.isByBlock) {
      try {
        // At first one alone: a batch that is refused would be retried in ever smaller parts.
        const tried = this.hasShown ? 0 : 1
        const observed = [...(await this.byBlock(blocks.slice(0, tried), filter))]
        this.hasShown ||= observed.length > 0
        return [...observed, ...(await this.byBlock(blocks.slice(tried), filter))]
      } catch (error) {
        if (!isPerhapsTooLarge(error) || isOfPrunedHistory(error)) throw error
        if (isMissingMethod(error)) this.isByBlock = false
      }
    }
    const observed: ObservedBlock[] = []
    for (const block of blocks) {
      const receipts = await this.rpc.all(block.txHashes.map(receiptCall), anything, readReceipt)
      observed.push(observeWhole(block, receipts, filter))
    }
    return observed
  }

  /** Whether the node has the receipts of a height, as far as it tells. */
  async has(height: number): Promise<boolean> {
    if (!this.isByBlock) return true
    const { method, params } = blockCall(height)
    return (await this.rpc.call(method, params, anything)) !== null
  }

  /** Rejects unless the node returns all receipts of a height at once. */
  async demandByBlock(height: number): Promise<void> {
    const { method, params } = blockCall(height)
    listOf(await this.rpc.call(method, params, anything), 'receipts of a block')
  }

  /** Blocks without relevant logs: the receipts of their payments, of all blocks together. */
  private async payments(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<ObservedBlock[]> {
    const hashes = blocks.flatMap(({ payments, txHashes }) => payments.map(({ txIndex }) => txHashes[txIndex]))
    const receipts = await this.rpc.all(hashes.map(receiptCall), anything, readReceipt)
    let taken = 0
    return blocks.map((block) => {
      const own = receipts.slice(taken, taken + block.payments.length)
      taken += own.length
      return observePayments(block, own, filter)
    })
  }

  /** Only the receipts of one batch are in memory at a time. */
  private byBlock(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const calls = blocks.map(({ height }) => blockCall(height))
    return this.rpc.all(calls, anything, (answer, i) => {
      const block = blocks[i] as EthereumBlock
      if (answer === null) throw new MissingBlock(`the node does not have the receipts of block ${block.height}`)
      return observeWhole(block, listOf(answer, 'receipts of a block').map(readReceipt), filter)
    })
  }
}

function blockCall(height: number): RpcCall {
  return { method: 'eth_getBlockReceipts', params: [quantityText(height)] }
}

function receiptCall(txHash: string | undefined): RpcCall {
  return { method: 'eth_getTransactionReceipt', params: [txHash] }
}
