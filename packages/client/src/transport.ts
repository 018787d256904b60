import type { ErrorCode } from './api-types.js'
import { BillhookError } from './error.js'
import { type Signer, signatureOf } from './signer.js'
import { anyOf, mayPass, sleep } from './wait.js'

/** A request that may be repeated is sent this often at most. */
const ATTEMPTS = 4
/** A longer `Retry-After` is left to the caller. */
const WAIT_MAX_MS = 30_000
const MS_PER_SECOND = 1000

export type Fetch = typeof fetch

export interface TransportOptions {
  readonly url: string
  readonly fetch: Fetch
  /** For each attempt. */
  readonly timeoutMs: number
  /** Before the second attempt; it doubles with each further one. */
  readonly retryDelayMs: number
}

/** A request to the API. */
export interface Call {
  /** The method and the pattern of the endpoint, as in the reference. It is also the first line of the signed text. */
  readonly tag: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`
  /** What stands for the `:names` of the tag, not encoded. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signer?: Signer | undefined
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal | undefined
  /** Whether a GET has an effect. It is then not repeated. */
  readonly hasEffect?: boolean
}

export interface Reply {
  /** Parsed. */
  readonly body: unknown
  /** Where the next page of a list starts; null at its end. */
  readonly next: string | null
}

interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends requests: signed, within a time, again where that is safe. */
export class Transport {
  /** The base address, without a slash at its end. */
  readonly url: string
  /** What the clock of the service is ahead of ours. */
  private aheadMs = 0

  /** Throws a `TypeError` for a URL that is none. */
  constructor(private readonly options: TransportOptions) {
    const { origin, pathname, protocol } = new URL(options.url)
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${options.url} is no http(s) URL`)
    this.url = origin + pathname.replace(/\/+$/, '')
  }

  /** Throws a `BillhookError`, or the reason of the signal. */
  async call(call: Call): Promise<Reply> {
    const text = call.body === undefined ? '' : JSON.stringify(call.body)
    let isCorrected = false
    for (let attempt = 1; ; attempt++) {
      try {
        const received = await this.send(call, text)
        const error = errorIn(received, this.url)
        if (error === null) return replyIn(received, this.url)
        if (error.code === 'invalid_timestamp' && !isCorrected && this.setClock(received.headers)) {
          // The request had no effect: any may be sent again.
          isCorrected = true
          attempt -= 1
        } else throw error
      } catch (error) {
        await this.pauseBefore(attempt, call, error)
      }
    }
  }

  /** Waits until the call may be tried again. Throws the error where it may not. */
  private async pauseBefore(attempt: number, call: Call, error: unknown): Promise<void> {
    if (!(error instanceof BillhookError) || attempt >= ATTEMPTS || !mayBeRepeated(call)) throw error
    if (!mayPass(error) && error.code !== 'idempotency_in_progress') throw error
    // Clients that failed together do not come back together.
    const delayMs = this.options.retryDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
    const pauseMs = error.retryAfterMs ?? delayMs
    if (pauseMs > WAIT_MAX_MS) throw error
    await sleep(pauseMs, call.signal)
  }

  private async send(call: Call, text: string): Promise<Received> {
    const { timeoutMs, fetch } = this.options
    const [method, path] = methodAndPath(call)
    const headers = await this.headersOf(call, text)
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(this.url + path, {
        method,
        headers,
        // A redirect would leave the service that was named.
        redirect: 'error',
        credentials: 'omit',
        signal: anyOf(call.signal, limit) ?? null,
        ...(text === '' ? {} : { body: text }),
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch (cause) {
      if (call.signal?.aborted === true) throw call.signal.reason
      const told = limit.aborted ? `gave no answer within ${timeoutMs} ms` : `cannot be reached: ${reasonOf(cause)}`
      throw new BillhookError(`${this.url} ${told}.`, 'unreachable', { cause })
    }
  }

  private async headersOf({ tag, signer, idempotencyKey }: Call, text: string): Promise<Record<string, string>> {
    const headers: Record<string, string> = {}
    if (text !== '') headers['Content-Type'] = 'application/json'
    if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey
    if (signer === undefined) return headers
    const timestamp = String(Date.now() + this.aheadMs)
    headers['X-Service-Api-Key'] = signer.publicKey
    headers['X-Service-Timestamp'] = timestamp
    headers['X-Service-Signature'] = await signatureOf(signer, `${tag}\n${timestamp}\n${text}`)
    return headers
  }

  /** Takes over the clock of the service. False if the answer does not tell it. */
  private setClock(headers: Headers): boolean {
    const serverMs = Date.parse(headers.get('date') ?? '')
    if (Number.isNaN(serverMs)) return false
    this.aheadMs = serverMs - Date.now()
    return true
  }
}

/** The documented rule: reads, PUT and DELETE, and what an idempotency key protects. */
function mayBeRepeated({ tag, idempotencyKey, hasEffect = false }: Call): boolean {
  return idempotencyKey !== undefined || !(hasEffect || tag.startsWith('POST '))
}

function methodAndPath({ tag, params = {}, query = {} }: Call): readonly [method: string, path: string] {
  const [method = '', pattern = ''] = tag.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const search = new URLSearchParams(given).toString()
  return [method, search === '' ? path : `${path}?${search}`]
}

/** The refusal in an answer; null for a success. */
function errorIn({ status, headers, text }: Received, url: string): BillhookError | null {
  if (status < 400) return null
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfterMs = retryAfterIn(headers)
  const body = parsed(text) as { error?: unknown; code?: unknown; field?: unknown } | null | undefined
  if (typeof body?.error !== 'string' || typeof body.code !== 'string') {
    const message = `${url} answered ${status}, and not as this service does: see what else listens there.`
    return new BillhookError(message, 'unexpected_answer', { status, requestId, retryAfterMs })
  }
  const field = typeof body.field === 'string' ? body.field : undefined
  return new BillhookError(body.error, body.code as ErrorCode, { status, field, requestId, retryAfterMs })
}

function replyIn({ status, headers, text }: Received, url: string): Reply {
  const body = parsed(text)
  if (typeof body !== 'object' || body === null) {
    throw new BillhookError(`${url} did not answer with JSON: see what else listens there.`, 'unexpected_answer', {
      status,
      requestId: headers.get('x-request-id') ?? undefined,
    })
  }
  const target = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  const query = new URLSearchParams(target?.split('?')[1])
  return { body, next: query.get('cursor') ?? query.get('after') }
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfterIn(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * MS_PER_SECOND : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Node puts the reason into the cause of the error of `fetch`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}
