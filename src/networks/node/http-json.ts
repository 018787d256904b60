import { BoundedHttp, type HttpStream, HttpTimeout } from '../../base/bounded-http.js'
import { parseJson } from '../../base/json-object.js'
import { retryAfterMs } from '../../base/retry-after.js'
import { collectYoung } from '../../base/young-collection.js'
import { type Clock, elapsedOf } from '../../clock.js'
import type { Scheduler } from '../../scheduler.js'
import { HttpFailure } from './answer.js'
import { type AnswerDate, answerDate } from './answer-date.js'
import { JsonScanner } from './json-scanner.js'
import type { Shape } from './json-shape.js'
import { MalformedJson } from './json-tokens.js'
import { Pacer } from './pacer.js'
import { Route } from './route.js'
import { wordsIn, wordsOf } from './words.js'

/** Connections to one endpoint. */
const CONNECTIONS_MAX = 4
/** The part of an error's body that is read, and how long it is waited for. */
const REFUSAL_BYTES_MAX = 16 * 1024
export const REFUSAL_MS_MAX = 1100
/** Answers up to this length are left to V8, which is faster. */
const UNCOLLECTED_BYTES = 4 * 1024 * 1024
/** The pieces of longer ones are collected after so many bytes. */
const COLLECTED_BYTES = 2 * 1024 * 1024
/** The part of an answer that is not JSON which is kept for the log. */
const BEGINNING_BYTES = 512

/** Shorter parts of a URL are no secrets, and replacing them would garble every message. */
const SECRET_LENGTH_MIN = 6
const MESSAGE_LENGTH_MAX = 200

/** The address of a node, as an operator writes it. Both parts may hold credentials. */
export interface EndpointAddress {
  /** `http:` or `https:`; it may have a path, a query, and a user with a password. */
  readonly url: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Where the paths with a prefix are served instead. */
  readonly elsewhere?: { readonly prefix: string; readonly url: string }
}

/** The bounds of each request. */
export interface HttpJsonOptions {
  /** For one request as a whole: resolving the name, connecting, sending, and receiving the answer. Long answers have longer. */
  readonly timeoutMs: number
  /** For an answer without end. What takes more bytes has to be asked for in parts. */
  readonly answerLimitBytes: number
  readonly clock: Clock
  readonly scheduler: Scheduler
}

/** How a request ended. */
type End<T> = { readonly value: T } | { readonly error: unknown }

/** Queries one endpoint for JSON over HTTP. It does not follow redirects. */
export class HttpJson {
  /** Scheme, host and port: the public part of the address. */
  readonly origin: string
  /** The same, with a number where others of the network have it, too. */
  readonly name: string
  /** Requests begun. */
  requests = 0
  /** What the last answer with a date says of the time; null before the first. */
  date: AnswerDate | null = null
  /** Makes the calls at the pace that the endpoint allows. A call waits for its turn outside of its time limit. */
  readonly pacer: Pacer
  private readonly main: Route
  private readonly other: { readonly prefix: string; readonly route: Route } | null
  private readonly secrets: readonly string[]
  private readonly http: BoundedHttp

  constructor(
    { url, headers = {}, elsewhere }: EndpointAddress,
    private readonly options: HttpJsonOptions,
    /** From 1, among those of the same origin. */
    place = 1,
  ) {
    this.main = new Route(url, headers)
    this.origin = this.main.origin
    this.name = place === 1 ? this.origin : `${this.origin} #${place}`
    this.other = elsewhere === undefined ? null : { ...elsewhere, route: new Route(elsewhere.url, headers) }
    this.secrets = [...this.main.secrets, ...(this.other?.route.secrets ?? [])]
      .filter((part) => part.length >= SECRET_LENGTH_MIN)
      .sort((a, b) => b.length - a.length)
    this.pacer = new Pacer(options)
    this.http = new BoundedHttp({ connectionsMax: CONNECTIONS_MAX, ...options })
  }

  /**
   * Posts a JSON text to `path` below the endpoint's path, and returns what a shape reads of the answer, while it comes.
   * Rejects with `HttpFailure`, and with what a sink of the shape throws.
   */
  async post<T>(path: string, json: string, shape: Shape<T>): Promise<T> {
    this.requests += 1
    const isElsewhere = this.other !== null && path.startsWith(this.other.prefix)
    const route = isElsewhere ? this.other.route : this.main
    const request = {
      method: 'POST',
      origin: route.origin,
      path: route.pathOf(path),
      headers: { ...route.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: json,
    } as const
    const { clock } = this.options
    const askedAtMs = elapsedOf(clock)
    const end = await this.http
      .stream(request, (answer) => {
        // The other address may be another server.
        if (!isElsewhere) this.date = answerDate(answer.headers, askedAtMs, elapsedOf(clock)) ?? this.date
        return isSuccess(answer.status) ? this.read(answer, shape) : this.refusal(answer)
      })
      .catch((error: unknown) => ({ error: this.failureOf(error) }))
    if ('error' in end) throw end.error
    return end.value
  }

  /** A node's text without the secrets, in case the node repeats them, and short enough for a log. */
  presentable(text: string): string {
    const shown = this.secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
    return shown.length > MESSAGE_LENGTH_MAX ? `${shown.slice(0, MESSAGE_LENGTH_MAX)}…` : shown
  }

  /** Closes the connections, also those in use. */
  close(): Promise<void> {
    this.pacer.close()
    return this.http.close()
  }

  /** What is thrown here is no failure of the connection: it is returned. */
  private async read<T>({ pieces }: HttpStream, shape: Shape<T>): Promise<End<T>> {
    const scanner = new JsonScanner(shape)
    const { answerLimitBytes } = this.options
    let beginning: Buffer | null = null
    let bytes = 0
    let collectedBytes = UNCOLLECTED_BYTES
    for await (const piece of pieces) {
      beginning ??= Buffer.from(piece.subarray(0, BEGINNING_BYTES))
      bytes += piece.length
      if (bytes - collectedBytes >= COLLECTED_BYTES) {
        collectYoung()
        collectedBytes = bytes
      }
      if (bytes > answerLimitBytes) {
        return { error: new HttpFailure('too_long', `the answer is longer than ${answerLimitBytes} bytes`) }
      }
      try {
        scanner.push(piece)
      } catch (error) {
        return { error: this.flawOf(error, beginning) }
      }
    }
    try {
      return { value: scanner.end() }
    } catch (error) {
      return { error: this.flawOf(error, beginning) }
    }
  }

  private flawOf(error: unknown, beginning: Buffer | null): unknown {
    if (!(error instanceof MalformedJson)) return error
    const said = wordsOf(beginning?.toString() ?? '')
    const shown = said === null ? null : this.presentable(said)
    const message = `the answer is not JSON${shown === null ? '' : `: ${shown}`}`
    return new HttpFailure('not_json', message, { said: shown })
  }

  private async refusal({ status, headers, pieces }: HttpStream): Promise<{ readonly error: HttpFailure }> {
    const text = await this.beginningOf(pieces)
    const answer = parseJson(text)
    const said = answer === null ? wordsOf(text) : wordsIn(answer)
    const shown = said === null ? null : this.presentable(said)
    const message = `HTTP status ${status}${shown === null ? '' : `: ${shown}`}`
    const waitMs = retryAfterMs(headers['retry-after'], this.options.clock.now())
    return { error: new HttpFailure('status', message, { status, retryAfterMs: waitMs, said: shown, answer }) }
  }

  /** The words of a refusal, as far as they come soon: the status says enough without them. */
  private async beginningOf(pieces: AsyncIterable<Buffer>): Promise<string> {
    const kept: Buffer[] = []
    let cancel = () => {}
    const isLate = new Promise<void>((resolve) => {
      cancel = this.options.scheduler.after(REFUSAL_MS_MAX, resolve)
    })
    const isRead = (async () => {
      let bytes = 0
      for await (const piece of pieces) {
        kept.push(piece)
        bytes += piece.length
        if (bytes >= REFUSAL_BYTES_MAX) return
      }
    })()
    await Promise.race([isRead.catch(() => undefined), isLate])
    cancel()
    return Buffer.concat(kept).toString('utf8', 0, REFUSAL_BYTES_MAX)
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
