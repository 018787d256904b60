import { BadAnswer } from '../node/node-failure.js'
import { listOf, objectOf } from '../node/values.js'
import { type EthereumLog, readLog } from './log.js'
import { countOf, hashOf } from './values.js'

/** The outcome of a transaction in a block. */
export interface EthereumReceipt {
  readonly txHash: string
  readonly txIndex: number
  readonly blockHash: string
  readonly succeeded: boolean
  /** All logs of the transaction, in order. */
  readonly logs: readonly EthereumLog[]
}

export function readReceipt(value: unknown): EthereumReceipt {
  const receipt = objectOf(value, 'a receipt')
  const txHash = hashOf(receipt['transactionHash'], 'transactionHash of a receipt')
  const txIndex = countOf(receipt['transactionIndex'], 'transactionIndex of a receipt')
  const blockHash = hashOf(receipt['blockHash'], 'blockHash of a receipt')
  const status = countOf(receipt['status'], 'status of a receipt')
  if (status > 1) throw new BadAnswer('status of a receipt has not the right form')
  const logs = listOf(receipt['logs'], 'logs of a receipt').map(readLog)
  for (const log of logs) {
    if (log.txHash !== txHash || log.txIndex !== txIndex || log.blockHash !== blockHash) {
      throw new BadAnswer('a receipt has a log of another transaction or block')
    }
  }
  if (status === 0 && logs.length > 0) throw new BadAnswer('a failed transaction has logs')
  if (!logs.every(({ logIndex }, i) => logIndex === (logs[0]?.logIndex ?? 0) + i)) {
    throw new BadAnswer('the logs of a receipt are not consecutive')
  }
  return { txHash, txIndex, blockHash, succeeded: status === 1, logs }
}
