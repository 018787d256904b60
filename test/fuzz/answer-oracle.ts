import { blamedFields, detailsOfFailures, type FailureCode, failureMessages } from '../../src/domain/failure.js'
import { failureStatus } from '../../src/http/failure-status.js'

/** What the oracles look at, of whatever client. */
export interface SeenAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
  /** Whether `Retry-After` came with it. */
  readonly hasRetryAfter: boolean
}

/**
 * What only the inside of the service may know: stack frames, file names of the code, packages, errors of the system and
 * of the store. No value that the fuzzers send contains any of it, so an answer that does has leaked it.
 */
const INTERNALS =
  /\bat \S+ \(|:\d+:\d+\)|node:[a-z]+|node_modules|\/dist\/|\.[cm]?[jt]s:\d|\b[A-Z]\w*Error\b|Error:|\bE[A-Z]{4,}\b: |MDB_|Unexpected token|JSON at position|\[object |undefined|data\.mdb|billhook-test-/

/** Refusals that hostile input must never cause: each means that the service is unwell. */
const UNWELL: ReadonlySet<string> = new Set<FailureCode>([
  'internal',
  'shutting_down',
  'not_ready',
  'storage_unavailable',
  'ledger_unreachable',
])

export function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === 'string' && Object.hasOwn(failureMessages, code)
}

/** What of the inside a text tells, in words; null when nothing. */
export function leakIn(text: string): string | null {
  const leak = INTERNALS.exec(text)
  return leak === null ? null : `the body leaks ${JSON.stringify(leak[0])}`
}

/** What is wrong with an answer that the service itself gave, in words; null when it is as documented. */
export function flawOfAnswer(answer: SeenAnswer): string | null {
  const { status, contentType, body } = answer
  const leak = leakIn(body)
  if (leak !== null) return leak
  if (contentType === 'text/html; charset=utf-8') return flawOfPage(answer)
  if (status === 204) return body === '' ? null : 'a 204 has a body'
  if (contentType !== 'application/json; charset=utf-8') return `the content type is ${JSON.stringify(contentType)}`
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return 'the body is no JSON'
  }
  if (status === 200 || status === 201) return null
  return flawOfRefusal(answer, value)
}

/** The code of a refusal in the documented shape, null when there is none. */
export function codeOf(body: string): FailureCode | null {
  try {
    const value: unknown = JSON.parse(body)
    const code = typeof value === 'object' && value !== null && 'code' in value ? value.code : null
    return isFailureCode(code) ? code : null
  } catch {
    return null
  }
}

function flawOfRefusal({ status, hasRetryAfter }: SeenAnswer, value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return 'a refusal is no object'
  const { error, code, field } = value as { readonly error: unknown; readonly code: unknown; readonly field?: unknown }
  if (!isFailureCode(code)) return `the code ${JSON.stringify(code)} is not in the catalogue`
  const { [code as string]: details = [] }: Readonly<Record<string, readonly string[]>> = detailsOfFailures
  const fields = Object.keys(value).join()
  const documented = ['error', 'code', ...(field === undefined ? [] : ['field']), ...details].join()
  if (fields !== documented) return `${code} has the fields ${fields}`
  if (UNWELL.has(code)) return `hostile input caused ${code}`
  if (field !== undefined && (status !== 400 || typeof field !== 'string')) return `${code} blames ${field}`
  if (blamedFields[code] !== undefined && blamedFields[code] !== field) return `${code} blames ${field}`
  if (failureStatus[code] !== status) return `${code} came with status ${status}`
  if (typeof error !== 'string' || !matches(failureMessages[code], error))
    return `${code} says ${JSON.stringify(error)}`
  if ((status === 503 || status === 429) && !hasRetryAfter) return `${code} came without Retry-After`
  return null
}

/** Whether `text` is the message of the catalogue with its `<places>` filled in. */
function matches(message: string, text: string): boolean {
  const pieces = message.split(/<\w+>/).map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pieces.join('[^]+')}$`).test(text)
}

/** Statuses of the pages under /pay and /order: those of every refusal, but that hostile input must not cause a 500 there either. */
const PAGE_STATUSES: ReadonlySet<number> = new Set([
  200,
  ...Object.values(failureStatus).filter((status) => status !== 500),
])

function flawOfPage({ status, body, hasRetryAfter }: SeenAnswer): string | null {
  if (!PAGE_STATUSES.has(status)) return `a page with status ${status}`
  if ((status === 503 || status === 429) && !hasRetryAfter)
    return `a page with status ${status} came without Retry-After`
  if (!/^<!doctype html>\n<html lang="[a-z]{2}" dir="(ltr|rtl)">/.test(body))
    return 'the page does not start as it should'
  return body.trimEnd().endsWith('</html>') ? null : 'the page does not end as it should'
}
