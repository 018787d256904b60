import { BoundedHttp, HttpTimeout } from '../../base/bounded-http.js'
import { retryAfterMs } from '../../base/retry-after.js'
import type { Clock } from '../../clock.js'
import type { Scheduler } from '../../scheduler.js'
import { type EndpointAddress, EndpointUrl } from './endpoint-url.js'
import { isWithinBounds } from './json-bounds.js'
import { HttpFailure } from './node-failure.js'

/** Connections to one endpoint. */
const CONNECTIONS_MAX = 4

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
  private readonly http: BoundedHttp
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true })

  constructor(
    address: EndpointAddress,
    private readonly options: HttpJsonOptions,
  ) {
    this.url = new EndpointUrl(address)
    this.http = new BoundedHttp({ connectionsMax: CONNECTIONS_MAX, ...options })
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
    const body = await this.exchange(path, json).catch((error: unknown) => Promise.reject(this.failureOf(error)))
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
  close(): Promise<void> {
    return this.http.close()
  }

  private async exchange(path: string, json: string): Promise<Uint8Array> {
    const { clock, answerLimitBytes } = this.options
    const { status, headers, body } = await this.http.request({
      method: 'POST',
      origin: this.url.origin,
      path: this.url.pathOf(path),
      headers: { ...this.url.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: json,
      limitBytes: (status) => (isSuccess(status) ? answerLimitBytes : 0),
    })
    if (!isSuccess(status)) {
      const waitMs = retryAfterMs(headers['retry-after'], clock.now())
      throw new HttpFailure('status', `HTTP status ${status}`, status, waitMs)
    }
    if (body === null) throw new HttpFailure('too_long', `the answer is longer than ${answerLimitBytes} bytes`)
    return body
  }

  private failureOf(error: unknown): HttpFailure {
    if (error instanceof HttpFailure) return error
    if (error instanceof HttpTimeout) return new HttpFailure('timeout', error.message)
    const { code, message } = error as NodeJS.ErrnoException
    return new HttpFailure('connection', this.presentable(code ?? message))
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}
