import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { Agent, type Dispatcher } from 'undici'
import type { Scheduler } from '../scheduler.js'

/** A body that is read piece by piece may take a second more for each of these bytes. */
const BYTES_PER_SECOND_MIN = 512 * 1024
const MS_PER_SECOND = 1000
/** The longest time for one answer, however long it is. */
const ANSWER_MS_MAX = 5 * 60_000

export interface BoundedHttpOptions {
  /** Connections to each origin; further requests wait for one, within their time. */
  readonly connectionsMax: number
  /** For one request as a whole: resolving the name, connecting, sending, and receiving the answer. */
  readonly timeoutMs: number
  readonly scheduler: Scheduler
}

export interface HttpRequest {
  /** Scheme, host and port. */
  readonly origin: string
  readonly path: string
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Maximum size of the body of an answer with this status; with 0 it is not read. */
  readonly limitBytes: (status: number) => number
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  /** Null when it was longer than the limit, or not read. */
  readonly body: Buffer | null
}

/** An answer whose body comes piece by piece, without the coding that it was sent in. */
export interface HttpStream {
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  /** Leaving it ends the connection. */
  readonly pieces: AsyncIterable<Buffer>
}

/** No complete answer came in time. */
export class HttpTimeout extends Error {
  override readonly name = 'HttpTimeout'
}

/** An HTTP client whose requests are bounded in time, size and number. It does not follow redirects. */
export class BoundedHttp {
  private readonly agent: Agent

  constructor(private readonly options: BoundedHttpOptions) {
    const { connectionsMax, timeoutMs } = options
    this.agent = new Agent({
      connections: connectionsMax,
      pipelining: 1,
      // `request` has the deadline; these limits end what continues after it.
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    })
  }

  /**
   * Rejects with `HttpTimeout` at the deadline, and with the error of the system or of undici when no answer came. It does
   * not wait for undici after the deadline: undici ignores the signal while it connects.
   */
  request(request: HttpRequest): Promise<HttpAnswer> {
    const { scheduler, timeoutMs } = this.options
    const end = new AbortController()
    return new Promise((resolve, reject) => {
      const cancel = scheduler.after(timeoutMs, () => {
        reject(new HttpTimeout(`no complete answer within ${timeoutMs} ms`))
        end.abort()
      })
      this.exchange(request, end.signal).then(resolve, reject).finally(cancel)
    })
  }

  /**
   * Hands an answer to `read` as it comes; resolves and rejects with it. A long body may take longer than the time of a
   * request, as long as it comes at half a megabyte a second, and at most `ANSWER_MS_MAX`. Rejects like `request`.
   */
  stream<T>(request: Omit<HttpRequest, 'limitBytes'>, read: (answer: HttpStream) => Promise<T>): Promise<T> {
    const { scheduler, timeoutMs } = this.options
    const end = new AbortController()
    const progress = { bytes: 0, isComplete: false }
    return new Promise((resolve, reject) => {
      const allowedMs = (): number => {
        const seconds = Math.floor(progress.bytes / BYTES_PER_SECOND_MIN)
        return Math.min(timeoutMs + seconds * MS_PER_SECOND, Math.max(timeoutMs, ANSWER_MS_MAX))
      }
      let grantedMs = timeoutMs
      const atDeadline = () => {
        const moreMs = allowedMs() - grantedMs
        if (moreMs > 0) {
          grantedMs += moreMs
          cancel = scheduler.after(moreMs, atDeadline)
          return
        }
        reject(new HttpTimeout(`no complete answer within ${grantedMs} ms`))
        end.abort()
      }
      let cancel = scheduler.after(timeoutMs, atDeadline)
      this.begin(request, end.signal, progress)
        .then(read)
        .then(resolve, reject)
        .finally(() => {
          cancel()
          // Nobody takes the rest.
          if (!progress.isComplete) end.abort()
        })
    })
  }

  /** Ends all connections, and with them the requests in flight. */
  close(): Promise<void> {
    return this.agent.destroy()
  }

  private async begin(
    request: Omit<HttpRequest, 'limitBytes'>,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<HttpStream> {
    const { statusCode, headers, body } = await this.agent.request({ ...request, signal })
    return { status: statusCode, headers, pieces: decoded(counted(body, progress), headers['content-encoding']) }
  }

  private async exchange({ limitBytes, ...request }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { statusCode, headers, body } = await this.agent.request({ ...request, signal })
    return { status: statusCode, headers, body: await readUpTo(body, limitBytes(statusCode)) }
  }
}

/** How much of a body has come. */
interface Progress {
  bytes: number
  isComplete: boolean
}

async function* counted(body: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    progress.bytes += piece.length
    yield piece
  }
  progress.isComplete = true
}

/**
 * A body without the coding that a server, or a proxy in front of it, has chosen unasked. What they name it is not always what
 * they do, so the first byte decides where it can.
 */
async function* decoded(body: AsyncGenerator<Buffer>, coding: string | string[] | undefined): AsyncGenerator<Buffer> {
  const first = await body.next()
  if (first.done === true) return
  const whole = joined(first.value, body)
  const decoder = decoderOf(first.value[0], String(coding ?? '').toLowerCase())
  // Its failures reach the one who reads the decoder.
  yield* decoder === null ? whole : pipeline(whole, decoder, () => {})
}

async function* joined(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

/** The first byte of gzip (RFC 1952), which begins no text. */
const GZIP = 0x1f
/** The lower half of the first byte of zlib's format (RFC 1950). */
const ZLIB = 0x08
/** What JSON or a page of HTML begins with. Deflated text begins with none of these. */
const TEXT = /[\s{["<]/

function decoderOf(byte: number | undefined, coding: string) {
  if (byte === undefined) return null
  if (byte === GZIP) return createGunzip()
  if (coding === 'br') return createBrotliDecompress()
  if (coding !== 'deflate' || TEXT.test(String.fromCharCode(byte))) return null
  return (byte & 0x0f) === ZLIB ? createInflate() : createInflateRaw()
}

async function readUpTo(body: Dispatcher.ResponseData['body'], limitBytes: number): Promise<Buffer | null> {
  if (limitBytes === 0) {
    body.on('error', () => {}).destroy()
    return null
  }
  const chunks: Buffer[] = []
  let lengthBytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    lengthBytes += chunk.length
    // Leaving the loop destroys the body and its connection.
    if (lengthBytes > limitBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
