import { Agent, type Dispatcher } from 'undici'
import type { Scheduler } from '../scheduler.js'

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

  /** Ends all connections, and with them the requests in flight. */
  close(): Promise<void> {
    return this.agent.destroy()
  }

  private async exchange({ limitBytes, ...request }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { statusCode, headers, body } = await this.agent.request({ ...request, signal })
    return { status: statusCode, headers, body: await readUpTo(body, limitBytes(statusCode)) }
  }
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
