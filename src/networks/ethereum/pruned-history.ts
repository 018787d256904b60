import { MissingBlock, RpcFailure } from '../node/answer.js'
import { EveryWayFailed } from './every-way-failed.js'

/** JSON-RPC of Ethereum: the history of this height was pruned (EIP-4444), and how nodes word it otherwise. */
const PRUNED = 4444
const UNKNOWN_BLOCK = -39_001
const PRUNED_TEXT = /pruned|missing trie node|history.{0,40}(?:unavailable|not available|expired)|before the earliest/i

const UNKNOWN_BLOCK_TEXT = /unknown block|block (?:is )?not found/i

/** Whether a failure may be that the node no longer keeps so old a block. */
export function isOfPrunedHistory(error: unknown): boolean {
  if (error instanceof EveryWayFailed) return error.failures.some(isOfPrunedHistory)
  if (error instanceof RpcFailure)
    return error.code === PRUNED || PRUNED_TEXT.test(error.message) || isUnknownBlock(error)
  return error instanceof MissingBlock
}

/** Whether a node says by an error that it does not have a block, where others answer null. */
export function isUnknownBlock(error: unknown): boolean {
  return error instanceof RpcFailure && (error.code === UNKNOWN_BLOCK || UNKNOWN_BLOCK_TEXT.test(error.message))
}
