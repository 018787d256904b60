import { limitOf, NodeFailure } from '../node/answer.js'
import type { JsonRpc } from '../node/json-rpc.js'
import { fields, items, scalar } from '../node/json-shape.js'
import { throwPruned } from '../node/pruned-below.js'
import { headerCall, headShape, readHead } from './block.js'
import { isOfPrunedHistory } from './pruned-history.js'
import type { ReceiptReader } from './receipt-reader.js'
import { hashIn, type Value } from './values.js'

/** A block that a node lacks this far below its own head is not one that it will have soon. */
const HISTORY_DEPTH = 128

/** A header, and the hash of the block's first transaction, if it has any. */
const withFirstHash = fields({
  transactions: items(scalar, () => {
    let first: Value
    return {
      take: (hash, i) => {
        if (i === 0) first = hash
      },
      end: () => first,
    }
  }),
})

/**
 * Throws `UnfitNode` when the node's history begins above a height that is far below its head. An error that says nothing of
 * history is no proof, and ends the search.
 */
export async function explainMissing(rpc: JsonRpc, receipts: ReceiptReader, height: number): Promise<void> {
  const head = readHead(await rpc.call('eth_getBlockByNumber', ['latest', false], headShape)).height
  if (height > head - HISTORY_DEPTH || (await keeps(rpc, receipts, height)) !== false) return
  await throwPruned((kept) => keeps(rpc, receipts, kept), height, head)
}

/** Whether the node has a block and its receipts; null when it does not tell. */
async function keeps(rpc: JsonRpc, receipts: ReceiptReader, height: number): Promise<boolean | null> {
  try {
    const { method, params } = headerCall(height)
    const block = await rpc.call(method, params, withFirstHash)
    if (block === null) return false
    return await receipts.keeps(height, hashIn(block?.transactions))
  } catch (error) {
    if (!(error instanceof NodeFailure) || limitOf(error) !== null) throw error
    return isOfPrunedHistory(error) ? false : null
  }
}
