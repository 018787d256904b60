import { isAscii } from 'node:buffer'
import { BoundedHttp, HttpTimeout } from '../../base/bounded-http.js'
import { retryAfterMs } from '../../base/retry-after.js'
import type { Clock } from '../../clock.js'
import type { Scheduler } from '../../scheduler.js'
import { HttpFailure } from './answer.js'

/** Connections to one endpoint. */
const CONNECTIONS_MAX = 4
/**
 * Levels and values of the largest real answers, with a margin. A parser needs far more memory for them than the text.
 */
export const JSON_DEPTH_MAX = 32
export const JSON_VALUES_MAX = 1_000_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

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

/** Queries one endpoint for JSON over HTTP. It does not follow redirects. */
export class HttpJson {
  /** Scheme, host and port: the public part of the address. */
  readonly name: string
  /** Requests begun. */
  requests = 0
  private readonly path: string
  private readonly query: string
  /** Includes the credentials of the address, if it has any. */
  private readonly headers: Readonly<Record<string, string>>
  private readonly secrets: readonly string[]
  private readonly http: BoundedHttp
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true })

  constructor(
    { url, headers = {} }: EndpointAddress,
    private readonly options: HttpJsonOptions,
  ) {
    const { origin, pathname, search, searchParams, username, password } = new URL(url)
    const user = [username, password].map(decodeURIComponent)
    const credentials = Buffer.from(user.join(':')).toString('base64')
    this.name = origin
    this.path = pathname.replace(/\/+$/, '')
    this.query = search
    this.headers = username === '' && password === '' ? headers : { authorization: `Basic ${credentials}`, ...headers }
    this.secrets = [...pathname.split('/'), ...searchParams.values(), ...user, credentials, ...Object.values(headers)]
      .filter((part) => part.length >= SECRET_LENGTH_MIN)
      .sort((a, b) => b.length - a.length)
    this.http = new BoundedHttp({ connectionsMax: CONNECTIONS_MAX, ...options })
  }

  /**
   * Posts a JSON text to `path` below the endpoint's path, and returns the parsed answer; `parse` throws when it is
   * malformed. Rejects with `HttpFailure`.
   */
  async post(
    path: string,
    json: string,
    parse: (text: string) => unknown = JSON.parse,
    depthMax = JSON_DEPTH_MAX,
  ): Promise<unknown> {
    this.requests += 1
    const body = await this.exchange(path, json).catch((error: unknown) => Promise.reject(this.failureOf(error)))
    if (!isWithinBounds(body, depthMax)) throw new HttpFailure('too_long', 'the answer has too many values or levels')
    try {
      return parse(isAscii(body) ? body.toString('latin1') : this.utf8.decode(body))
    } catch {
      // The parser's message quotes the answer, and says nothing more.
      throw new HttpFailure('not_json', 'the answer is not JSON')
    }
  }

  /** A node's text without the secrets, in case the node repeats them, and short enough for a log. */
  presentable(text: string): string {
    const shown = this.secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
    return shown.length > MESSAGE_LENGTH_MAX ? `${shown.slice(0, MESSAGE_LENGTH_MAX)}…` : shown
  }

  /** Closes the connections, also those in use. */
  close(): Promise<void> {
    return this.http.close()
  }

  private async exchange(path: string, json: string): Promise<Buffer> {
    const { clock, answerLimitBytes } = this.options
    const { status, headers, body } = await this.http.request({
      method: 'POST',
      origin: this.name,
      path: `${`${this.path}${path}` || '/'}${this.query}`,
      headers: { ...this.headers, 'content-type': 'application/json', accept: 'application/json' },
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

/** Where the text ends whose first byte is at `start`: at its closing quote, or beyond the end. Most bytes are text. */
function endOfText(json: Buffer, start: number): number {
  let end = json.indexOf(QUOTE, start)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf(QUOTE, end + 1)
  return end === -1 ? json.length : end
}

/** Whether an odd number of backslashes is before a byte. */
function isEscaped(json: Buffer, at: number): boolean {
  let first = at
  while (json[first - 1] === BACKSLASH) first -= 1
  return (at - first) % 2 === 1
}

/**
 * Whether a JSON text stays within the bounds, checked before it is parsed. Bytes that are not JSON may pass; the
 * parser refuses them.
 */
function isWithinBounds(json: Buffer, depthMax: number): boolean {
  let depth = 0
  let values = 1
  for (let i = 0; i < json.length; i += 1) {
    switch (json[i]) {
      case QUOTE:
        i = endOfText(json, i + 1)
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1
        values += 1
        if (depth > depthMax) return false
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case COMMA:
        values += 1
        if (values > JSON_VALUES_MAX) return false
        break
    }
  }
  return true
}
