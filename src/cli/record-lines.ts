import { isUtf8 } from 'node:buffer'
import { isObject } from '../base/json-object.js'

/** The most bytes of a line. No record is nearly as long. */
export const LINE_BYTES_MAX = 262_144

const NEWLINE = 0x0a

/** A line of a file of records that is not blank. */
export interface RecordLine {
  /** Its number in the file, as editors count. */
  readonly no: number
  /** Bytes of the file up to its end. */
  readonly endsAt: number
  /** The JSON object that it holds, as it is written there; or why it is none, in words. */
  readonly content: { readonly json: string } | { readonly flaw: string }
}

/**
 * The lines of a file, whatever is in it: memory is bounded however long a line is, and only a newline ends one. Other separators that
 * Unicode knows may stand in the texts of a record.
 */
export async function* recordLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<RecordLine> {
  let no = 0
  let endsAt = 0
  let pieces: Uint8Array[] = []
  let bytes = 0
  const take = (piece: Uint8Array) => {
    bytes += piece.length
    if (bytes <= LINE_BYTES_MAX) pieces.push(piece)
    else pieces = []
  }
  const end = (): RecordLine | null => {
    no += 1
    const content = bytes > LINE_BYTES_MAX ? TOO_LONG : contentOf(Buffer.concat(pieces))
    pieces = []
    bytes = 0
    return content === null ? null : { no, endsAt, content }
  }
  for await (const chunk of input) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at))
      endsAt += at + 1 - from
      from = at + 1
      const line = end()
      if (line !== null) yield line
    }
    endsAt += chunk.length - from
    if (from < chunk.length) take(chunk.subarray(from))
  }
  const last = bytes === 0 ? null : end()
  if (last !== null) yield last
}

const TOO_LONG = { flaw: `it is longer than ${LINE_BYTES_MAX} bytes` }

/** Null for a blank line. */
function contentOf(bytes: Buffer): RecordLine['content'] | null {
  if (!isUtf8(bytes)) return { flaw: 'it is no UTF-8 text' }
  // A byte order mark goes with the blanks.
  const json = bytes.toString('utf8').trim()
  if (json === '') return null
  try {
    return isObject(JSON.parse(json)) ? { json } : { flaw: 'it is no JSON object' }
  } catch {
    return { flaw: 'it is no JSON' }
  }
}
