import { errorIn, type Received, type Reply, replyIn, textOf } from './answer.js'
import { BillhookError } from './error.js'
import { signedHeaders } from './signed-headers.js'
import type { Signer } from './signer.js'
import { anyOf, mayPass, sleep } from './wait.js'

/** A longer `Retry-After` is left to the caller. */
const WAIT_MAX_MS = 30_000

export type Fetch = typeof fetch

export interface TransportOptions {
  readonly url: string
  readonly fetch: Fetch
  /** For each attempt. */
  readonly timeoutMs: number
  /** Before the second attempt; it doubles with each further one. */
  readonly retryDelayMs: number
  /** A request that may be repeated is sent this often at most. With 1 each is sent once, also if its time was wrong. */
  readonly attempts: number
}

/** A request to the API. */
export interface Call {
  /** The method and the pattern of the endpoint, as in the reference. It is also the first line of the signed text. */
  readonly tag: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`
  /** What stands for the `:names` of the tag, not encoded. */
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signer?: Signer | undefined
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether a GET has an effect. It is then not repeated. */
  readonly hasEffect?: boolean | undefined
}

/** Sends requests: signed, within a time, again where that is safe. */
export class Transport {
  /** The base address, without a slash at its end. */
  readonly url: string
  /** What the clock of the service is ahead of ours. */
  private aheadMs = 0

  /** Throws a `TypeError` for a URL that is none. */
  constructor(private readonly options: TransportOptions) {
    const { origin, pathname } = addressIn(options.url)
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
        const isLate = error.code === 'invalid_timestamp' && this.options.attempts > 1
        if (isLate && !isCorrected && this.setClock(received.headers)) {
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
    if (!(error instanceof BillhookError) || attempt >= this.options.attempts || !mayBeRepeated(call)) throw error
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
        // A redirect would leave the service that was named. Workers of Cloudflare know no 'error'.
        redirect: 'manual',
        credentials: 'omit',
        signal: anyOf(call.signal, limit) ?? null,
        ...(text === '' ? {} : { body: text }),
      })
      return { status: response.status, headers: response.headers, text: await textOf(response) }
    } catch (cause) {
      if (call.signal?.aborted === true) throw call.signal.reason
      if (cause instanceof BillhookError) throw cause
      const told = limit.aborted ? `gave no answer within ${timeoutMs} ms` : `cannot be reached: ${reasonOf(cause)}`
      throw new BillhookError(`${this.url} ${told}.`, 'unreachable', { cause })
    }
  }

  private async headersOf({ tag, signer, idempotencyKey }: Call, text: string): Promise<Record<string, string>> {
    const headers: Record<string, string> = {}
    if (text !== '') headers['Content-Type'] = 'application/json'
    if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey
    if (signer === undefined) return headers
    return { ...headers, ...(await signedHeaders(signer, tag, text, Date.now() + this.aheadMs)) }
  }

  /** Takes over the clock of the service. False if the answer does not tell it. */
  private setClock(headers: Headers): boolean {
    const serverMs = Date.parse(headers.get('date') ?? '')
    if (Number.isNaN(serverMs)) return false
    this.aheadMs = serverMs - Date.now()
    return true
  }
}

function addressIn(url: string): URL {
  if (!/^https?:\/\//i.test(url)) throw new TypeError(`the url must begin with https:// or http://: ${url}`)
  try {
    return new URL(url)
  } catch (cause) {
    throw new TypeError(`the url is malformed: ${url}`, { cause })
  }
}

/** The documented rule: reads, PUT and DELETE, and what an idempotency key protects. */
function mayBeRepeated({ tag, idempotencyKey, hasEffect = false }: Call): boolean {
  return idempotencyKey !== undefined || !(hasEffect || tag.startsWith('POST '))
}

function methodAndPath({ tag, params = {}, query = {} }: Call): readonly [method: string, path: string] {
  const [method = '', pattern = ''] = tag.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(named(tag, name, params[name])))
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const search = new URLSearchParams(given).toString()
  return [method, search === '' ? path : `${path}?${search}`]
}

/** An empty part of a path would lead to another endpoint, or to none. */
function named(tag: string, name: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new TypeError(`${tag} needs the ${name}, a text that is not empty`)
}

/** Node puts the reason into the cause of the error of `fetch`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}
