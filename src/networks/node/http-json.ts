import { BoundedHttp, HttpTimeout } from '../../base/bounded-http.js'
import { retryAfterMs } from '../../base/retry-after.js'
import type { Clock } from '../../clock.js'
import type { Scheduler } from '../../scheduler.js'
import { HttpFailure } from './answer.js'
import { isWithinBounds } from './json-bounds.js'

/** Connections to one endpoint. */
const CONNECTIONS_MAX = 4
/** Shorter parts of a URL are no secrets, and replacing them would garble every message. */
const SECRET_LENGTH_MIN = 6
const MESSAGE_LENGTH_MAX = 200

/** The address of a node, as an operator writes it. Both parts may hold credentials. */
export interface EndpointAddress {
  /** `http:` or `https:`; it may have a path, a query, and a user with a password. */
  readonly url: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The bounds of each request. */
export interface HttpJsonOptions {
  /** For one request as a whole: resolving the name, connecting, sending, and receiving the answer. */
  readonly timeoutMs: number
  readonly answerLimitBytes: number
  readonly clock: Clock
  readonly scheduler: Scheduler
}

/** Parses a JSON text; throws when it is malformed. */
export type JsonParser = (text: string) => unknown

/** Queries one endpoint for JSON over HTTP. It does not follow redirects. */
export class HttpJson {
  /** Requests begun. */
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

  /** Scheme, host and port: the public part of the address. */
  get name(): string {
    return this.url.origin
  }

  /**
   * Posts a JSON text to `path` below the endpoint's path, and returns the parsed answer. Rejects with `HttpFailure`.
   */
  async post(path: string, json: string, parse: JsonParser = JSON.parse): Promise<unknown> {
    this.requests += 1
    const body = await this.exchange(path, json).catch((error: unknown) => Promise.reject(this.failureOf(error)))
    if (!isWithinBounds(body)) throw new HttpFailure('too_long', 'the answer has too many values or levels')
    try {
      return parse(this.utf8.decode(body))
    } catch {
      // The parser's message quotes the answer, and says nothing more.
      throw new HttpFailure('not_json', 'the answer is not JSON')
    }
  }

  /** A node's text without secrets, and short enough for a log. */
  presentable(text: string): string {
    return this.url.presentable(text)
  }

  /** Closes the connections, also those in use. */
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

/** An endpoint's address, divided into the public part and the secrets. */
class EndpointUrl {
  /** Scheme, host and port. */
  readonly origin: string
  /** Includes the credentials of the URL, if it has any. */
  readonly headers: Readonly<Record<string, string>>
  private readonly path: string
  private readonly query: string
  private readonly secrets: readonly string[]

  constructor({ url, headers = {} }: EndpointAddress) {
    const { origin, pathname, search, searchParams, username, password } = new URL(url)
    const user = [username, password].map(decodeURIComponent)
    const credentials = Buffer.from(user.join(':')).toString('base64')
    this.origin = origin
    this.path = pathname.replace(/\/+$/, '')
    this.query = search
    this.headers = username === '' && password === '' ? headers : { authorization: `Basic ${credentials}`, ...headers }
    this.secrets = [...pathname.split('/'), ...searchParams.values(), ...user, credentials, ...Object.values(headers)]
      .filter((part) => part.length >= SECRET_LENGTH_MIN)
      .sort((a, b) => b.length - a.length)
  }

  /** The request target for a path below the endpoint's own. */
  pathOf(path: string): string {
    return `${`${this.path}${path}` || '/'}${this.query}`
  }

  /** A node's text without the secrets, in case the node repeats them, and short enough for a log. */
  presentable(text: string): string {
    const shown = this.secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
    return shown.length > MESSAGE_LENGTH_MAX ? `${shown.slice(0, MESSAGE_LENGTH_MAX)}…` : shown
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}
