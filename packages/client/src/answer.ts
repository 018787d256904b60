import type { ErrorCode } from './api-types.js'
import { BillhookError } from './error.js'

const MS_PER_SECOND = 1000
/** Of the body of one answer: a page of a thousand orders with long texts stays below. The Python client has the same limit. */
export const ANSWER_MAX_BYTES = 64 * 1024 * 1024
/** How deep arrays and objects of an answer lie in each other at most. Those of the service stay below ten. */
export const NESTING_MAX = 100

/** An answer, read to its end. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A successful answer. */
export interface Reply {
  /** Parsed. */
  readonly body: unknown
  /** Where the next page of a list starts; null at its end. */
  readonly next: string | null
  readonly headers: Headers
}

/**
 * Why a service refused a request, for a program that sends it in its own way; null for a success, whose body is not read. `url` names
 * the service in the message about an answer that is none of a service.
 *
 * @example
 * ```js
 * import { refusalOf } from '@billhook/client'
 *
 * const refusal = await refusalOf(await fetch(`${url}/api/invoices/unknown`), url)
 * console.log(refusal?.code) // invoice_not_found
 * ```
 */
export async function refusalOf(response: Response, url: string): Promise<BillhookError | null> {
  if (response.ok) return null
  const { status, headers } = response
  try {
    return errorIn({ status, headers, text: await textOf(response) }, url)
  } catch (error) {
    if (error instanceof BillhookError) return error
    throw error
  }
}

/** The body of an answer. Throws `unexpected_answer`, and reads no further, where it is larger than any of the service. */
export async function textOf(response: Response): Promise<string> {
  const { body } = response
  // Some platforms have no streams.
  if (body === null || body === undefined) return fitting(await response.text(), response)
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const pieces: string[] = []
  let bytes = 0
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return pieces.join('') + decoder.decode()
    bytes += value.length
    if (bytes > ANSWER_MAX_BYTES) {
      // Whoever sends without end may not take the end of the stream, either.
      reader.cancel().catch(() => undefined)
      throw tooLarge(response)
    }
    pieces.push(decoder.decode(value, { stream: true }))
  }
}

function fitting(text: string, response: Response): string {
  if (text.length > ANSWER_MAX_BYTES) throw tooLarge(response)
  return text
}

function tooLarge({ status, url }: Response): BillhookError {
  const message = `The answer of ${url} is larger than ${ANSWER_MAX_BYTES} bytes.`
  return new BillhookError(message, 'unexpected_answer', { status })
}

/** An answer that may be an error, of which nothing is sure. */
interface ErrorBody {
  readonly error?: unknown
  readonly code?: unknown
  readonly field?: unknown
  readonly wallet?: unknown
  readonly reason?: unknown
  readonly coin?: unknown
  readonly supported?: unknown
}

/** The refusal in an answer; null for a success. A browser hides the status of a redirect, and where it leads. */
export function errorIn({ status, headers, text }: Received, url: string): BillhookError | null {
  if (status === 0 || (status >= 300 && status < 400)) {
    const message = `${url} answered ${status || 'a redirect'} and sends clients to ${headers.get('location') ?? 'another place'}.`
    return new BillhookError(message, 'unexpected_answer', { status })
  }
  if (status < 400) return null
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfterMs = retryAfterIn(headers)
  const body = parsed(text) as ErrorBody | null | undefined
  if (typeof body?.error !== 'string' || typeof body.code !== 'string') {
    const message = `${url} answered ${status}, and not as this service does: see what else listens there.`
    return new BillhookError(message, 'unexpected_answer', { status, requestId, retryAfterMs })
  }
  const { code } = body
  const told = {
    field: textIn(body.field),
    wallet: textIn(body.wallet),
    reason: textIn(body.reason),
    coin: textIn(body.coin),
    supported: Array.isArray(body.supported) ? body.supported.filter((one) => typeof one === 'string') : undefined,
  }
  const message = messageOf(body.error, code, told)
  return new BillhookError(message, code as ErrorCode, { status, ...told, requestId, retryAfterMs })
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** What to do about refusals that say only what is wrong, by code. */
const ADVICE: Readonly<Record<string, string>> = {
  unknown_api_key: 'Register its public key at this service first.',
  unknown_identity: 'Onboard it first, and wait until the service knows it.',
  missing_auth_headers: 'In strict mode requests are signed by a registered key, and its registration by the identity.',
  not_found: 'See whether the URL of the service is right.',
}

const REASONS: Readonly<Record<string, string>> = {
  not_assigned: 'is not assigned to this identity, or the service has not learned of it yet',
  no_address: 'is assigned, but the service does not know its address yet',
}

interface Told {
  readonly field: string | undefined
  readonly wallet: string | undefined
  readonly reason: string | undefined
  readonly coin: string | undefined
  readonly supported: readonly string[] | undefined
}

/** The text of the service, with everything else that its answer says: a log has the message alone. */
function messageOf(text: string, code: string, { field, wallet, reason, coin, supported }: Told): string {
  const sentences = [text]
  if (field !== undefined && !text.startsWith(field)) sentences.push(`Field: ${field}.`)
  if (supported !== undefined) sentences.push(`Supported: ${supported.join(', ')}.`)
  if (coin !== undefined) sentences.push(`Coin: ${coin}.`)
  const why = REASONS[reason ?? '']
  if (wallet !== undefined) sentences.push(why === undefined ? `Wallet: ${wallet}.` : `Wallet ${wallet} ${why}.`)
  const advice = ADVICE[code]
  return [...sentences, ...(advice === undefined ? [] : [advice])].join(' ')
}

export function replyIn({ status, headers, text }: Received, url: string): Reply {
  const body = parsed(text)
  const wrong = (told: string) =>
    new BillhookError(`${url} ${told}: see what else listens there.`, 'unexpected_answer', {
      status,
      requestId: headers.get('x-request-id') ?? undefined,
    })
  if (typeof body !== 'object' || body === null) throw wrong('did not answer with JSON')
  if (isDeeperThan(NESTING_MAX, body)) throw wrong(`answered with JSON that is nested more than ${NESTING_MAX} deep`)
  const target = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  const query = new URLSearchParams(target?.split('?')[1])
  return { body, next: query.get('cursor') ?? query.get('after'), headers }
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Looks one level after the other, because what is nested without end would take the stack of a function that calls itself. */
function isDeeperThan(levels: number, body: object): boolean {
  let level: readonly object[] = [body]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true
    level = level.flatMap((value) => Object.values(value).filter((one) => typeof one === 'object' && one !== null))
  }
  return false
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfterIn(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * MS_PER_SECOND : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
