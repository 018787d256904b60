import { Pool } from 'undici'
import type { Clock } from '../../clock.js'
import { retryAfterMs } from '../../retry-after.js'
import type { Scheduler } from '../../scheduler.js'
import { type EndpointAddress, EndpointUrl } from './endpoint-url.js'
import { isWithinBounds } from './json-bounds.js'
import { HttpFailure } from './node-failure.js'

/** Connections that one endpoint is given. */
const CONNECTIONS = 4

/** Bounds of each request, and where time comes from. */
export interface HttpJsonOptions {
  /** For everything together: resolving the name, connecting, sending, and receiving the whole answer. */
  readonly timeoutMs: number
  readonly answerLimitBytes: number
  readonly clock: Clock
  readonly scheduler: Scheduler
}

/** Turns a JSON text into a value; throws when it is none. */
export type JsonParser = (text: string) => unknown

/** Asks one endpoint for JSON over HTTP. Redirects are not followed. */
export class HttpJson {
  /** Requests that were begun. */
  requests = 0
  private readonly url: EndpointUrl
  private readonly pool: Pool
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true })

  constructor(
    address: EndpointAddress,
    private readonly options: HttpJsonOptions,
  ) {
    const { timeoutMs } = options
    this.url = new EndpointUrl(address)
    this.pool = new Pool(this.url.origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      // The deadline of `post` is the one that counts; these end what goes on after it.
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    })
  }

  /** Scheme, host and port: all that may be shown. */
  get name(): string {
    return this.url.origin
  }

  /**
   * Posts a JSON text to the endpoint's path with `path` behind it, and answers what the parser makes of the answer.
   * Rejects with `HttpFailure`.
   */
  async post(path: string, json: string, parse: JsonParser = JSON.parse): Promise<unknown> {
    this.requests += 1
    const body = await this.withinTime((signal) => this.exchange(path, json, signal))
    if (!isWithinBounds(body)) throw new HttpFailure('too_long', 'the answer has too many values or levels')
    try {
      return parse(this.utf8.decode(body))
    } catch {
      // The parser's message quotes the answer; it tells nothing more.
      throw new HttpFailure('not_json', 'the answer is not JSON')
    }
  }

  /** A text of the node without what belongs to nobody else's eyes, and short enough for a log. */
  presentable(text: string): string {
    return this.url.presentable(text)
  }

  /** Ends the connections, those in use too. */
  async close(): Promise<void> {
    await this.pool.destroy()
  }

  private async exchange(path: string, json: string, signal: AbortSignal): Promise<Uint8Array> {
    const answer = await this.pool.request({
      method: 'POST',
      path: this.url.pathOf(path),
      headers: { ...this.url.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: json,
      signal,
    })
    const { statusCode, headers } = answer
    if (statusCode < 200 || statusCode > 299) {
      answer.body.on('error', () => {}).destroy()
      const waitMs = retryAfterMs(headers['retry-after'], this.options.clock.now())
      throw new HttpFailure('status', `HTTP status ${statusCode}`, statusCode, waitMs)
    }
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      length += chunk.length
      if (length > this.options.answerLimitBytes) {
        throw new HttpFailure('too_long', `the answer is longer than ${this.options.answerLimitBytes} bytes`)
      }
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  /** Does not wait for `work` after the deadline: while a connection is being made, undici does not hear the signal. */
  private withinTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { scheduler, timeoutMs } = this.options
    const end = new AbortController()
    return new Promise((resolve, reject) => {
      const cancel = scheduler.after(timeoutMs, () => {
        reject(new HttpFailure('timeout', `no complete answer within ${timeoutMs} ms`))
        end.abort()
      })
      work(end.signal)
        .then(resolve, (error: unknown) => reject(this.failureOf(error)))
        .finally(cancel)
    })
  }

  private failureOf(error: unknown): HttpFailure {
    if (error instanceof HttpFailure) return error
    const { code, message } = error as NodeJS.ErrnoException
    return new HttpFailure('connection', this.presentable(code ?? message))
  }
}
