import { createHash } from 'node:crypto'
import { readJsonObject } from '../http/body.js'

/** A transaction as a ledger node sees it after parsing (specification, Ledger steps). */
export interface LedgerTransaction {
  /** SHA-256 of the transaction, 64 hex characters. The same transaction sent again has the same one. */
  readonly umid: string
  readonly isSelfSigned: boolean
  readonly namespace: string
  readonly contract: string
  /** The entries of `$i` and `$o` by their labels. */
  readonly inputs: ReadonlyMap<string, LedgerStream>
  readonly outputs: ReadonlyMap<string, LedgerStream>
  /** Signature texts by label or stream id. */
  readonly signatures: ReadonlyMap<string, string>
  /** SHA-256 of the signed text: `$tx` as JSON, in the order in which it was sent. */
  readonly digest: Buffer
}

/** What `$i` or `$o` says of a stream. Fields of another type than they should have count as absent. */
export interface LedgerStream {
  /** The stream's id: `$stream`, or else the label itself. */
  readonly stream: string
  readonly publicKey: string | null
  /** The key's type. A node takes `rsa` when there is none. */
  readonly keyType: string
  readonly isPersonal: boolean
}

const DEFAULT_KEY_TYPE = 'rsa'

/**
 * Reads a transaction. `unreadable`: no JSON object or array at all. `invalid`: not a transaction. A node answers both
 * with status 500, but differently.
 */
export function parseLedgerTransaction(body: Buffer): LedgerTransaction | 'unreadable' | 'invalid' {
  const read = readJsonObject(body)
  if (!read.ok) return isEmptyArray(body) ? 'invalid' : 'unreadable'
  const { $tx: tx, $sigs: signatures, $selfsign: isSelfSigned } = read.value
  if (!isObject(tx) || !isObject(signatures)) return 'invalid'
  const { $namespace: namespace, $contract: contract, $i: inputs, $o: outputs = {} } = tx
  if (typeof namespace !== 'string' || typeof contract !== 'string') return 'invalid'
  if (!isObject(inputs) || !isObject(outputs)) return 'invalid'
  const texts = jsonOf(read.value, tx)
  if (texts === null) return 'unreadable'
  return {
    umid: sha256(texts.whole).toString('hex'),
    isSelfSigned: isSelfSigned === true,
    namespace,
    contract,
    inputs: streamsOf(inputs),
    outputs: streamsOf(outputs),
    signatures: new Map(
      Object.entries(signatures).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
    digest: sha256(texts.signed),
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

function streamsOf(entries: Readonly<Record<string, unknown>>): Map<string, LedgerStream> {
  const streams = new Map<string, LedgerStream>()
  for (const [label, value] of Object.entries(entries)) {
    const fields = isObject(value) ? value : {}
    const { $stream: stream, publicKey, type, personal } = fields
    streams.set(label, {
      stream: typeof stream === 'string' ? stream : label,
      publicKey: typeof publicKey === 'string' ? publicKey : null,
      keyType: typeof type === 'string' ? type : DEFAULT_KEY_TYPE,
      isPersonal: personal === true,
    })
  }
  return streams
}

/** A node tells `[]` from what is no JSON. */
function isEmptyArray(body: Buffer): boolean {
  return /^\s*\[\s*\]\s*$/.test(body.toString('utf8'))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
