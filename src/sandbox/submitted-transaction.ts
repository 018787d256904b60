import { isUtf8 } from 'node:buffer'
import { createHash, randomBytes } from 'node:crypto'
import { isObject, parseJson } from '../base/json-object.js'
import { type LedgerTransaction, readTransaction } from '../ledger/ledger-transaction.js'

/** A transaction as a ledger node sees it after parsing. */
export interface SubmittedTransaction extends LedgerTransaction {
  /** 64 hex characters, different for each POST. */
  readonly umid: string
  /** Unix milliseconds. */
  readonly arrivedMs: number
  /** Unix milliseconds; null when it does not expire. */
  readonly expiresMs: number | null
  readonly sent: SentTransaction
}

/** The part of a committed transaction that a node keeps as it was sent. */
export interface SentTransaction {
  readonly $tx: Readonly<Record<string, unknown>>
  readonly $sigs: Readonly<Record<string, unknown>>
  readonly $selfsign: boolean
}

/**
 * Reads a transaction. `unreadable`: not JSON, or null. `invalid`: JSON that is not a transaction. `unsigned`: it came
 * without signatures. A node gives each another answer.
 */
export function parseSubmitted(
  body: Buffer,
  arrivedMs: number,
): SubmittedTransaction | 'unreadable' | 'invalid' | 'unsigned' {
  const value = parseJson(body.toString('utf8'))
  if (value === null) return 'unreadable'
  if (!isObject(value) || !isUtf8(body)) return 'invalid'
  const { $tx, $sigs } = value
  const transaction = readTransaction(value)
  if (transaction === null || !isObject($tx)) return 'invalid'
  const isUnsigned = $sigs === undefined || $sigs === null
  if (!isUnsigned && !isObject($sigs)) return 'invalid'
  if (!isWritable(value)) return 'unreadable'
  if (isUnsigned) return 'unsigned'
  return {
    ...transaction,
    umid: createHash('sha256').update(body).update(randomBytes(16)).digest('hex'),
    arrivedMs,
    expiresMs: timeOf($tx['$expire']),
    sent: { $tx, $sigs, $selfsign: transaction.isSelfSigned },
  }
}

/** Deeply nested JSON may be readable but not writable. */
function isWritable(value: object): boolean {
  try {
    return JSON.stringify(value) !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function timeOf(value: unknown): number | null {
  const timeMs = typeof value === 'string' || typeof value === 'number' ? new Date(value).getTime() : Number.NaN
  return Number.isNaN(timeMs) ? null : timeMs
}
