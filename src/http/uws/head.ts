import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { peerAddress } from '../guards/peer-address.js'
import { requestIdOf } from '../request-id.js'
import type { RequestHead } from '../server.js'

/**
 * The head of a request of the engine, which is valid only during the engine's own callback. Its headers are copied at
 * once, because only all of them together tell how the request is framed; `detach` copies the rest for later.
 */
export class UwsHead implements RequestHead {
  /** True once the engine's response must not be touched any more. */
  protected isOver = false
  private pathText: string | undefined
  private queryText: string | undefined
  /** Names and values in turn. */
  protected readonly headers: readonly string[]
  private address: string | undefined
  private id: string | undefined

  constructor(
    readonly method: string,
    protected readonly res: HttpResponse,
    protected req: HttpRequest | undefined,
  ) {
    this.headers = req === undefined ? [] : captureHeaders(req)
  }

  get path(): string {
    this.pathText ??= this.req?.getUrl() ?? ''
    return this.pathText
  }

  get query(): string {
    // The engine reads a missing query as undefined.
    this.queryText ??= this.req?.getQuery() ?? ''
    return this.queryText
  }

  header(name: string): string | undefined {
    const { headers } = this
    let value: string | undefined
    for (let i = 0; i < headers.length; i += 2) {
      const found = headers[i]
      // Lengths first: comparing texts is a call, and most names differ in length.
      if (found?.length === name.length && found === name)
        value = value === undefined ? headers[i + 1] : `${value}, ${headers[i + 1]}`
    }
    return value
  }

  get requestId(): string {
    this.id ??= requestIdOf(this.header('x-request-id'))
    return this.id
  }

  remoteAddress(): string {
    if (this.address === undefined) {
      if (this.isOver) return ''
      this.address = peerOf(this.res)
    }
    return this.address
  }

  /** Copies what may be asked for after the engine's callback. */
  protected detach(): void {
    const { req } = this
    if (req === undefined) return
    this.pathText ??= req.getUrl()
    this.queryText ??= req.getQuery() ?? ''
  }
}

/** The address of a connection that is open. */
export function peerOf(res: HttpResponse): string {
  return peerAddress(Buffer.from(res.getRemoteAddressAsText()).toString('latin1'))
}

let captured: string[] = []

function capture(name: string, value: string): void {
  captured.push(name, value)
}

/**
 * All headers. One `forEach` costs about as much as the look-ups that a signed request needs (measured: 0.5 µs for 4
 * headers and 1.2 µs for 13, against 0.6 µs for six look-ups), and unlike them it sees repeated and empty headers.
 */
function captureHeaders(req: HttpRequest): readonly string[] {
  const headers: string[] = []
  captured = headers
  req.forEach(capture)
  return headers
}
