import { MissingBlock, RpcFailure } from '../node/answer.js'

/** JSON-RPC of Ethereum: the history of this height was pruned (EIP-4444), and how nodes word it otherwise. */
const PRUNED = 4444
const PRUNED_TEXT = /pruned|missing trie node|history.{0,40}(?:unavailable|not available|expired)|before the earliest/i

/** Whether a failure may be that the node no longer keeps so old a block. */
export function isOfPrunedHistory(error: unknown): boolean {
  if (error instanceof RpcFailure) return error.code === PRUNED || PRUNED_TEXT.test(error.message)
  return error instanceof MissingBlock
}
