import type { Failure } from '../domain/failure.js'
import { failureStatus } from './failure-status.js'
import type { Answer } from './server.js'

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

/** An answer whose body is JSON already. */
export function jsonTextAnswer(status: number, body: string, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }, body }
}

/**
 * The answer that reports a failure: `{"error": message, "code": code}`, with `"field"` if one field or parameter is to
 * blame, and the status of the code (decisions, 1).
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
