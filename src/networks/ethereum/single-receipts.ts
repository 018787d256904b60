import type { ObservedBlock } from '../../domain/block.js'
import { demand, MissingBlock } from '../node/answer.js'
import type { JsonRpc, RpcCall } from '../node/json-rpc.js'
import type { EthereumBlock } from './block.js'
import type { EthereumFilter } from './filter.js'
import type { FilterMode } from './logs.js'
import { Receipts, receiptShape, type ToldReceipt } from './receipts.js'
import { observeWhole } from './transfers.js'

export const SINGLE = 'eth_getTransactionReceipt'
/** Receipts that are asked for together: a block can have hundreds of thousands. */
const TOGETHER_MAX = 500

/** Reads receipts one by one. */
export class SingleReceipts {
  constructor(private readonly rpc: JsonRpc) {}

  /** The receipts of transactions, each of which must be known and there. */
  async each(
    hashes: readonly (string | null)[],
    filter: EthereumFilter,
    mode: FilterMode,
    take: (receipt: ToldReceipt, i: number) => void,
  ): Promise<void> {
    for (let from = 0; from < hashes.length; from += TOGETHER_MAX) {
      const some = hashes.slice(from, from + TOGETHER_MAX)
      await this.rpc.all(some.map(receiptCall), receiptShape(filter, mode), (receipt, i) => {
        if (receipt === null) throw new MissingBlock(`the node does not have the receipt of ${some[i]}`)
        take(receipt, from + i)
      })
    }
  }

  /** A block by all its receipts. */
  async ofBlock(block: EthereumBlock, filter: EthereumFilter): Promise<ObservedBlock> {
    const { txHashes } = block
    const receipts = new Receipts(filter, 'own')
    for (let from = 0; from < txHashes.length; from += TOGETHER_MAX) {
      const count = Math.min(TOGETHER_MAX, txHashes.length - from)
      const hashes = Array.from({ length: count }, (_, i) => txHashes.at(from + i))
      await this.each(hashes, filter, 'own', (receipt, i) => receipts.take(receipt, from + i))
    }
    return observeWhole(block, receipts, filter)
  }
}

/** The call for the receipt of a transaction. Throws `BadAnswer` when its hash is not known. */
export function receiptCall(txHash: string | null): RpcCall {
  demand(txHash !== null, 'a transaction has no hash')
  return { method: SINGLE, params: [txHash] }
}
