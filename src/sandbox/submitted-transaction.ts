import { createHash, randomBytes } from 'node:crypto'
import { isObject } from '../base/json-object.js'
import { readJsonObject } from '../http/json.js'
import { type LedgerTransaction, readTransaction } from '../ledger/ledger-transaction.js'

/** A transaction as a ledger node sees it after parsing. */
export interface SubmittedTransaction extends LedgerTransaction {
  /** 64 hex characters, different for each POST. */
  readonly umid: string
  /** Expiry, Unix milliseconds; null when there is none. */
  readonly expiresMs: number | null
  /** Null when it came without signatures. */
  readonly sent: SentTransaction | null
}

/** The part of a committed transaction that a node keeps as it was sent. */
export interface SentTransaction {
  readonly $tx: Readonly<Record<string, unknown>>
  readonly $sigs: Readonly<Record<string, unknown>>
  readonly $selfsign: boolean
}

/**
 * Reads a transaction. `unreadable`: not JSON, or null. `invalid`: JSON that is not a transaction. A node answers both with
 * status 500, with different bodies.
 */
export function parseSubmitted(body: Buffer): SubmittedTransaction | 'unreadable' | 'invalid' {
  const read = readJsonObject(body)
  if (!read.ok) return isOtherJson(body) ? 'invalid' : 'unreadable'
  const { $tx, $sigs } = read.value
  const transaction = readTransaction(read.value)
  if (transaction === null || !isObject($tx)) return 'invalid'
  if ($sigs !== undefined && $sigs !== null && !isObject($sigs)) return 'invalid'
  if (!isWritable(read.value)) return 'unreadable'
  return {
    ...transaction,
    umid: createHash('sha256').update(body).update(randomBytes(16)).digest('hex'),
    expiresMs: timeOf($tx['$expire']),
    sent: isObject($sigs) ? { $tx, $sigs, $selfsign: transaction.isSelfSigned } : null,
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

/** A node distinguishes other JSON from text that is not JSON. */
function isOtherJson(body: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return value !== null
  } catch {
    return false
  }
}
