import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Exchange, hasNoBody, isStream, LONG_ANSWER_BYTES } from '../exchange.js'
import { BodyBuffer, type Front, peerAddress, REQUEST_ID_HEADER } from '../front.js'
import type { Answer, Refusal } from '../server.js'

/** Maximum number of chunks in a body. One of a single byte costs as much as a large one, and its sender six bytes. */
export const BODY_CHUNKS_MAX = 256

/** `http://host/path` (RFC 9112, 3.2.2): what precedes the path. */
const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i

const BEYOND_ASCII = /[\x80-\xff]/

export interface NodeConnection {
  readonly socket: Socket
  /** In the order of their requests: clients may pipeline. */
  readonly exchanges: Set<NodeExchange>
  /** True once a request has been refused: what follows is ignored. */
  isEnding: boolean
  /** Since when nothing has been done for it, as it was seen last; on a clock that does not jump. */
  waitingSinceMs: number
}

export class NodeExchange extends Exchange {
  readonly method: string
  readonly path: string
  readonly query: string

  constructor(
    private readonly req: IncomingMessage,
    private readonly res: ServerResponse,
    protected readonly front: Front,
    private readonly connection: NodeConnection,
  ) {
    super()
    this.method = req.method ?? ''
    const target = (req.url ?? '').replace(ABSOLUTE_FORM, '')
    const mark = target.indexOf('?')
    this.path = mark === -1 ? target : target.slice(0, mark)
    this.query = mark === -1 ? '' : target.slice(mark + 1)
  }

  header(name: string): string | undefined {
    const values = this.req.headersDistinct[name]
    return values === undefined ? undefined : asUtf8(values.join(', '))
  }

  remoteAddress(): string {
    return peerAddress(this.req.socket.remoteAddress ?? '')
  }

  /** True while the client waits for the handler. */
  get isHandling(): boolean {
    return this.state === 'handling'
  }

  /** True while a handler or a stream makes the answer: the rest is up to the client. */
  get isWorking(): boolean {
    return this.state === 'handling' || this.state === 'streaming'
  }

  /** `awaitsContinue`: the client sends its body only when the server asks for it (RFC 9110, 10.1.1). */
  begin(awaitsContinue: boolean): void {
    this.front.began()
    this.connection.exchanges.add(this)
    this.res.on('close', () => {
      // The server reports a connection that has gone, when it is that one's turn.
      if (this.res.writableFinished) this.connectionClosed()
    })
    // `close` reports the end of the connection.
    this.res.on('error', () => undefined)
    this.req.on('error', () => undefined)
    try {
      const { bodyLimitBytes } = this.target
      // RFC 9112, 3.2: one Host, and HTTP/1.1 must have it.
      const hosts = this.req.headersDistinct.host?.length ?? 0
      if (hosts > 1 || (hosts === 0 && this.req.httpVersion === '1.1')) this.refuse('malformed_request')
      else this.receive(bodyLimitBytes, awaitsContinue)
    } catch (error) {
      this.fail(error)
    }
  }

  private receive(bodyLimitBytes: number, awaitsContinue: boolean): void {
    const { req } = this
    const { 'content-length': contentLength, 'transfer-encoding': transferEncoding } = req.headers
    if (contentLength === undefined && transferEncoding === undefined) {
      this.handle()
      return
    }
    // Other encodings leave a body that nothing here decodes, and HTTP/1.0 has none (RFC 9112, 6.1).
    const isFramed = transferEncoding?.toLowerCase() === 'chunked' && req.httpVersion === '1.1'
    if (transferEncoding !== undefined && !isFramed) {
      this.refuse('malformed_request')
      return
    }
    const isDeclared = contentLength !== undefined
    const mostBytes = isDeclared ? Number(contentLength) : bodyLimitBytes
    if (mostBytes > bodyLimitBytes) {
      if (awaitsContinue) {
        this.refuse('body_too_large')
        return
      }
      this.lingerThenRefuse('body_too_large')
    } else {
      if (awaitsContinue) this.res.writeContinue()
      this.arriving = new BodyBuffer(this.front.bodies, mostBytes, isDeclared)
    }
    if (!isDeclared) this.countChunks()
    req.on('data', (chunk: Buffer) => this.receiveChunk(chunk, bodyLimitBytes))
    req.on('end', () => this.receiveEnd())
  }

  /**
   * Ends a chunked body of too many chunks where the engine hands them over, before each becomes an event: what they
   * cost is their number. It does not linger, because reading on is what such a sender wants.
   */
  private countChunks(): void {
    const { req } = this
    const push = req.push
    let chunks = 0
    req.push = (chunk: unknown, encoding?: BufferEncoding) => {
      chunks += 1
      if (chunks <= BODY_CHUNKS_MAX || chunk === null) return push.call(req, chunk, encoding)
      // The rest of what was read with the last chunk is dropped.
      if (chunks === BODY_CHUNKS_MAX + 1) {
        this.refuse('body_too_large')
        stopReading(req.socket)
      }
      return false
    }
  }

  private receiveChunk(chunk: Buffer, bodyLimitBytes: number): void {
    if (this.state === 'refusing') {
      this.silence?.refresh()
      return
    }
    const { arriving } = this
    if (this.state !== 'receiving' || arriving === undefined) return
    if (arriving.receivedBytes + chunk.length > bodyLimitBytes) this.lingerThenRefuse('body_too_large')
    else if (!arriving.add(chunk)) this.lingerThenRefuse('overloaded')
  }

  private receiveEnd(): void {
    if (this.state === 'refusing') this.refuse(this.refusal)
    const { arriving } = this
    if (this.state !== 'receiving' || this.aborted || arriving === undefined) return
    this.body = arriving.take()
    this.arriving = undefined
    try {
      this.handle()
    } catch (error) {
      this.fail(error)
    }
  }

  protected sendWhole(answer: Answer): void {
    const { status, body } = answer
    this.state = 'sending'
    this.connection.waitingSinceMs = performance.now()
    if (isStream(body) || hasNoBody(status)) {
      this.writeHead(answer)
      this.res.end()
    } else {
      this.writeHead(answer, Buffer.byteLength(body))
      // `node:http` drops the body of an answer to HEAD by itself.
      this.res.end(body)
      if (body.length > LONG_ANSWER_BYTES && !this.res.writableFinished) this.holdUnread(body.length)
    }
  }

  protected beginStream(): void {
    this.res.on('drain', () => this.wake?.())
  }

  protected writeChunk(chunk: string | Uint8Array): boolean {
    this.writeStreamHead()
    return this.res.write(chunk)
  }

  /** `close` ends the exchange when the client has taken everything. */
  protected endStream(): void {
    this.writeStreamHead()
    this.res.end()
  }

  protected writeHead(answer: Answer, contentLength?: number): void {
    const headers: string[] = []
    for (const name in answer.headers) headers.push(name, answer.headers[name] ?? '')
    headers.push(REQUEST_ID_HEADER, this.requestId)
    if (contentLength !== undefined) headers.push('Content-Length', String(contentLength))
    if (this.mustClose) headers.push('Connection', 'close')
    this.res.writeHead(answer.status, headers)
    this.headWritten = true
  }

  protected override sendRefusal(code: Refusal): void {
    this.connection.isEnding = true
    super.sendRefusal(code)
  }

  protected cut(): void {
    this.req.socket.destroy()
  }

  /**
   * The answer has been handed over completely, or the connection has gone before. The engine reports the one, and the server the other:
   * to the answer that is being written, and to those that wait behind it because the client has pipelined.
   */
  connectionClosed(): void {
    if (this.aborted || this.state === 'done') return
    if (this.res.writableFinished) this.end()
    else this.abort()
  }

  protected override end(): void {
    super.end()
    this.connection.exchanges.delete(this)
    this.connection.waitingSinceMs = performance.now()
  }
}

/** Reads no more of a connection, and ends it when what was written to it has been sent. */
function stopReading(socket: Socket): void {
  // The server feeds the parser no further without this listener.
  socket.removeAllListeners('data')
  socket.pause()
  socket.destroySoon()
}

/** `node:http` reads the bytes of a header as Latin-1; clients send UTF-8. Others become U+FFFD. */
function asUtf8(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text
}
