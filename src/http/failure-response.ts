import type { Failure } from '../domain/failure.js'
import { failureStatus } from './failure-status.js'
import type { Answer } from './server.js'

/** The default `Retry-After` of a 503, in seconds. */
export const RETRY_AFTER_SECONDS = 1

/** What every answer carries: a browser must not guess another type than the declared one. */
export const BASE_HEADERS: Readonly<Record<string, string>> = Object.freeze({ 'X-Content-Type-Options': 'nosniff' })

/** Answers are about money and owners: no cache keeps them. */
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

/** The same with a body that is JSON already. */
export function jsonTextAnswer(status: number, body: string, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }, body }
}

/**
 * The answer that tells a client of a failure: `{"error": message, "code": code}`, and `"field"` where one field or parameter
 * is to blame, with the status of the catalogue (decisions, 1). This is the only place that knows that a failure of the domain becomes an HTTP status.
 */
export function failureAnswer(failure: Failure, extraHeaders?: Readonly<Record<string, string>>): Answer {
  const { code, message, field, retryAfterSeconds } = failure
  const status = failureStatus[code]
  const headers = status === 503 ? UNAVAILABLE_HEADERS : JSON_HEADERS
  const wait = retryAfterSeconds === undefined ? undefined : { 'Retry-After': String(retryAfterSeconds) }
  return {
    status,
    headers: extraHeaders === undefined && wait === undefined ? headers : { ...headers, ...wait, ...extraHeaders },
    body: JSON.stringify(field === undefined ? { error: message, code } : { error: message, code, field }),
  }
}
