import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { isObject, parseJson } from '../base/json-object.js'
import { type LedgerTransaction, readTransaction } from '../ledger/ledger-transaction.js'

/** A transaction as a ledger node sees it after parsing. */
export interface SubmittedTransaction extends LedgerTransaction {
  /** 64 hex characters. */
  readonly umid: string
  /** Unix milliseconds. */
  readonly arrivedMs: number
  /** When it expires, as it was sent, and in Unix milliseconds; null when it does not. */
  readonly expiry: { readonly sent: string; readonly atMs: number } | null
  readonly sent: SentTransaction
}

/** The part of a transaction that matters to a node, as it was sent. */
export interface SentTransaction {
  readonly $tx: Readonly<Record<string, unknown>>
  readonly $sigs: Readonly<Record<string, unknown>>
  readonly $selfsign: boolean
}

/** What a node keeps of a committed transaction. Its signatures are by the hashes of their keys. */
export interface CommittedTransaction extends SentTransaction {
  /** The revisions of its streams before it; absent in the journals of earlier versions. */
  readonly $revs?: Revisions
}

/** By stream: the revision of what is kept beside the stream, a colon, and that of the stream. */
export interface Revisions {
  readonly $i: Readonly<Record<string, string>>
  readonly $o: Readonly<Record<string, string>>
}

/**
 * Reads a transaction. Equal bodies get one id if they get one `salt`. `unreadable`: not JSON, or null. `invalid`: JSON that is not a transaction. `unsigned`: it came
 * without signatures. A node gives each another answer.
 */
export function parseSubmitted(
  body: Buffer,
  arrivedMs: number,
  salt: string | Buffer,
): SubmittedTransaction | 'unreadable' | 'invalid' | 'unsigned' {
  const value = parseJson(body.toString('utf8'))
  if (value === null) return 'unreadable'
  if (!isObject(value) || !isUtf8(body)) return 'invalid'
  const { $tx, $sigs } = value
  if (!isObject($tx)) return 'invalid'
  const transaction = readTransaction({ ...value, $tx: { $i: {}, ...$tx } })
  if (transaction === null) return 'invalid'
  const isUnsigned = $sigs === undefined || $sigs === null
  if (!isUnsigned && !isObject($sigs)) return 'invalid'
  if (!isWritable(value)) return 'unreadable'
  if (isUnsigned) return 'unsigned'
  return {
    ...transaction,
    umid: createHash('sha256').update(body).update(salt).digest('hex'),
    arrivedMs,
    expiry: expiryOf($tx['$expire']),
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

function expiryOf(value: unknown): SubmittedTransaction['expiry'] {
  const atMs = typeof value === 'string' || typeof value === 'number' ? new Date(value).getTime() : Number.NaN
  return Number.isNaN(atMs) ? null : { sent: String(value), atMs }
}
