import { isUtf8 } from 'node:buffer'
import { isObject } from '../base/json-object.js'
import { type Failure, type FailureCode, type Outcome, refuse, refuseField, succeed } from '../domain/failure.js'
import { parseOwner } from '../domain/text.js'
import { failureStatus } from './failure-status.js'
import type { Answer } from './server.js'

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

/** The default `Retry-After` of a 503, in seconds. */
export const RETRY_AFTER_SECONDS = 1

/** The headers of every answer: a browser must not guess a type other than the declared one. */
export const BASE_HEADERS: Readonly<Record<string, string>> = Object.freeze({ 'X-Content-Type-Options': 'nosniff' })

/** Answers are about money and owners, so no cache may keep them. */
const JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  ...BASE_HEADERS,
})

const UNAVAILABLE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  ...JSON_HEADERS,
  'Retry-After': String(RETRY_AFTER_SECONDS),
})

/** An answer with `value` as its JSON body. `headers` are added to, or replace, the usual ones. */
export function jsonAnswer(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return jsonTextAnswer(status, JSON.stringify(value), headers)
}

export function jsonTextAnswer(status: number, body: string, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }, body }
}

/** The answer to what may have failed: the value as JSON, or the failure. */
export function outcomeAnswer(status: number, outcome: Outcome<unknown>): Answer {
  if (!outcome.ok) return failureAnswer(outcome.failure)
  const answer = jsonAnswer(status, outcome.value)
  return outcome.isUnchanged === true ? { ...answer, isUnchanged: true } : answer
}

/**
 * The answer that reports a failure: `{"error": message, "code": code}`, with `"field"` if one field or parameter is to
 * blame, what the code tells beside that, and the status of the code (decisions, 1).
 */
export function failureAnswer(failure: Failure, extraHeaders?: Readonly<Record<string, string>>): Answer {
  const { code, message, field, details, retryAfterSeconds } = failure
  const status = failureStatus[code]
  const headers = status === 503 ? UNAVAILABLE_HEADERS : JSON_HEADERS
  const wait = retryAfterSeconds === undefined ? undefined : { 'Retry-After': String(retryAfterSeconds) }
  return {
    status,
    headers: extraHeaders === undefined && wait === undefined ? headers : { ...headers, ...wait, ...extraHeaders },
    // An undefined field is left out.
    body: JSON.stringify({ error: message, code, field, ...details }),
  }
}
