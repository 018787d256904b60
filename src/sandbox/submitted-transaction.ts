import { createHash } from 'node:crypto'
import { readJsonObject } from '../http/body.js'
import { isObject, type LedgerTransaction, readTransaction } from '../ledger/ledger-transaction.js'

/** A transaction as a ledger node sees it after parsing. */
export interface SubmittedTransaction extends LedgerTransaction {
  /** SHA-256 of the transaction, 64 hex characters. The same transaction sent again has the same one. */
  readonly umid: string
  /** Signature texts by label or stream id. */
  readonly signatures: ReadonlyMap<string, string>
  /** SHA-256 of the signed text: `$tx` as JSON, in the order in which it was sent. */
  readonly digest: Buffer
  readonly sent: SentTransaction
}

/** What a node keeps of a transaction that it commits, as it was sent. */
export interface SentTransaction {
  readonly $tx: Readonly<Record<string, unknown>>
  readonly $sigs: Readonly<Record<string, unknown>>
  readonly $selfsign: boolean
}

/**
 * Reads a transaction. `unreadable`: no JSON object or array at all. `invalid`: not a transaction. A node answers both
 * with status 500, but differently.
 */
export function parseSubmitted(body: Buffer): SubmittedTransaction | 'unreadable' | 'invalid' {
  const read = readJsonObject(body)
  if (!read.ok) return isEmptyArray(body) ? 'invalid' : 'unreadable'
  const { $tx, $sigs } = read.value
  const transaction = readTransaction(read.value)
  if (transaction === null || !isObject($tx) || !isObject($sigs)) return 'invalid'
  const texts = jsonOf(read.value, $tx)
  if (texts === null) return 'unreadable'
  return {
    ...transaction,
    umid: sha256(texts.whole).toString('hex'),
    signatures: new Map(
      Object.entries($sigs).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
    digest: sha256(texts.signed),
    sent: { $tx, $sigs, $selfsign: transaction.isSelfSigned },
  }
}

/** Both texts, or null for JSON nested so deeply that it can be read but not written. */
function jsonOf(whole: object, tx: object): { readonly whole: string; readonly signed: string } | null {
  try {
    return { whole: JSON.stringify(whole), signed: JSON.stringify(tx) }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** A node tells `[]` from what is no JSON. */
function isEmptyArray(body: Buffer): boolean {
  return /^\s*\[\s*\]\s*$/.test(body.toString('utf8'))
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
