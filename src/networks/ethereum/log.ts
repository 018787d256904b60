import { BadAnswer } from '../node/node-failure.js'
import { listOf, objectOf } from '../node/values.js'
import { addressOf, countOf, dataOf, hashOf } from './values.js'

/** keccak-256 of `Transfer(address,address,uint256)` (ERC-20). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** A topic is 32 bytes; the last 20 of them are an address. */
const ADDRESS_PADDING = `0x${'0'.repeat(24)}`
const WORD_LENGTH = 2 + 64
const TOPICS_MAX = 4
/** The event, the sender, the receiver. A fourth topic makes it another event (ERC-721). */
const TRANSFER_TOPICS = 3

/** A log, with its position and transaction. */
export interface EthereumLog {
  readonly address: string
  readonly topics: readonly string[]
  /** The data as a number when they are 32 bytes; null otherwise. */
  readonly word: bigint | null
  readonly blockHash: string
  readonly height: number
  readonly txHash: string
  readonly txIndex: number
  /** The index within the block. */
  readonly logIndex: number
}

/** A transfer in a log of the token. */
export interface TokenTransfer {
  readonly toAddress: string
  /** In the token's smallest unit. */
  readonly amount: bigint
}

export function readLog(value: unknown): EthereumLog {
  const log = objectOf(value, 'a log')
  if (log['removed'] === true) throw new BadAnswer('a log was removed by a reorganisation')
  const data = dataOf(log['data'], 'the data of a log')
  const topics = listOf(log['topics'], 'topics')
  if (topics.length > TOPICS_MAX) throw new BadAnswer('a log has too many topics')
  return {
    address: addressOf(log['address'], 'the address of a log'),
    topics: topics.map((topic) => hashOf(topic, 'a topic')),
    word: data.length === WORD_LENGTH ? BigInt(data) : null,
    blockHash: hashOf(log['blockHash'], 'blockHash of a log'),
    height: countOf(log['blockNumber'], 'blockNumber of a log'),
    txHash: hashOf(log['transactionHash'], 'transactionHash of a log'),
    txIndex: countOf(log['transactionIndex'], 'transactionIndex of a log'),
    logIndex: countOf(log['logIndex'], 'logIndex'),
  }
}

/** The transfer in a log; null when it is not of the token, or of amount 0. */
export function tokenTransfer(log: EthereumLog, token: string): TokenTransfer | null {
  const [event, , receiver] = log.topics
  if (log.address !== token || event !== TRANSFER_TOPIC || log.topics.length !== TRANSFER_TOPICS) return null
  // Other data than a word are no amount, and 0 transfers nothing.
  if (receiver?.startsWith(ADDRESS_PADDING) !== true || !log.word) return null
  return { toAddress: `0x${receiver.slice(ADDRESS_PADDING.length)}`, amount: log.word }
}

/** The topic for an address. */
export function addressTopic(address: string): string {
  return `${ADDRESS_PADDING}${address.slice(2).toLowerCase()}`
}
