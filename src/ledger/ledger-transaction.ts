import { isObject } from '../base/json-object.js'

/** The meaningful part of a ledger transaction, from whatever source (specification, Ledger steps). */
export interface LedgerTransaction {
  readonly isSelfSigned: boolean
  readonly namespace: string
  readonly contract: string
  /** The contract's entry point; null when the transaction names none. */
  readonly entry: string | null
  /** The entries of `$i` and `$o` by their labels. */
  readonly inputs: ReadonlyMap<string, LedgerStream>
  readonly outputs: ReadonlyMap<string, LedgerStream>
}

/** A stream in `$i` or `$o`. Fields of the wrong type count as absent. */
export interface LedgerStream {
  /** The stream's id: `$stream`, or else the label itself, as nodes do. */
  readonly stream: string
  readonly publicKey: string | null
  /** The key's type. Nodes assume `rsa` when it is missing. */
  readonly keyType: string
  readonly isPersonal: boolean
}

const DEFAULT_KEY_TYPE = 'rsa'

const STREAM_ID_LENGTH = 64

/** The id that a node finds in a text: it drops what follows a colon, and then all but the last 64 characters. */
export function streamIdOf(text: string): string {
  const [id = ''] = text.split(':')
  return id.slice(-STREAM_ID_LENGTH)
}

/** Reads `$tx` and `$selfsign` of a transaction; null when they are malformed. */
export function readTransaction(value: Readonly<Record<string, unknown>>): LedgerTransaction | null {
  const { $tx: tx, $selfsign: selfSigned } = value
  if (!isObject(tx)) return null
  const { $namespace: namespace, $contract: contract, $entry: entry, $i: inputs, $o: outputs = {} } = tx
  if (typeof namespace !== 'string' || typeof contract !== 'string') return null
  if (!isObject(inputs) || !isObject(outputs)) return null
  return {
    // Any truthy value counts, as it does in a node.
    isSelfSigned: Boolean(selfSigned),
    namespace,
    contract,
    entry: typeof entry === 'string' && entry !== '' ? entry : null,
    inputs: streamsOf(inputs),
    outputs: streamsOf(outputs),
  }
}

function streamsOf(entries: Readonly<Record<string, unknown>>): Map<string, LedgerStream> {
  const streams = new Map<string, LedgerStream>()
  for (const [label, value] of Object.entries(entries)) {
    const fields = isObject(value) ? value : {}
    const { $stream: stream, publicKey, type, personal } = fields
    streams.set(label, {
      stream: streamIdOf(typeof stream === 'string' ? stream : label),
      publicKey: typeof publicKey === 'string' ? publicKey : null,
      keyType: typeof type === 'string' ? type : DEFAULT_KEY_TYPE,
      isPersonal: personal === true,
    })
  }
  return streams
}
