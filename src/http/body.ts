import { isUtf8 } from 'node:buffer'
import { isObject } from '../base/json-object.js'
import { type FailureCode, type Outcome, refuse, refuseField, succeed } from '../domain/failure.js'
import { parseOwner } from '../domain/text.js'

/**
 * Reads the JSON object in `body`. Refuses everything else with `invalid_json`: malformed JSON, invalid UTF-8, a byte
 * order mark (RFC 8259, 8.1 lets a parser refuse it), an array, null, a primitive, an empty body. The last of duplicate
 * names wins.
 *
 * `JSON.parse` makes `__proto__` an own property like any other, so it is harmless unless code assigns it elsewhere.
 */
export function readJsonObject(body: Buffer): Outcome<Record<string, unknown>> {
  // Decoding alone would turn invalid bytes into U+FFFD and let a body pass that the client never signed or meant.
  if (!isUtf8(body)) return refuse('invalid_json')
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    // The parser's message quotes the body; it is neither stored nor sent.
    return refuse('invalid_json')
  }
  return isObject(value) ? succeed(value) : refuse('invalid_json')
}

/** The `owner` in the JSON object in `body`; refuses with `missing` if there is none. */
export function ownerInBody(body: Buffer, missing: FailureCode): Outcome<string> {
  const read = readJsonObject(body)
  if (!read.ok) return read
  const owner = parseOwner(read.value['owner'])
  return owner === null ? refuseField(missing, 'owner') : succeed(owner)
}
