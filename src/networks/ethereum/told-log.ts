import { fields, list, scalar, type ValueOf } from '../node/json-shape.js'
import type { Value } from './values.js'

const TOPICS_MAX = 4

const FIELDS = {
  address: scalar,
  topics: list(scalar, TOPICS_MAX),
  data: scalar,
  transactionHash: scalar,
  blockHash: scalar,
  removed: scalar,
} as const

export const logShape = fields(FIELDS)
/** A log as a node tells it, not yet checked. */
export type ToldLog = NonNullable<ValueOf<typeof logShape>>

/** A log that tells of a transfer to a watched address. */
export interface LoggedTransfer {
  /** The place of the log among all of its list, from 0. */
  readonly place: number
  /** What it moves: the label of a token, or of the coin. */
  readonly label: string
  /** The sender of coins. */
  readonly from: string | null
  readonly toAddress: string
  /** Null when the node tells no number. */
  readonly amount: bigint | null
  readonly txHash: Value
  readonly blockHash: Value
  readonly isRemoved: boolean
}
