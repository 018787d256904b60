import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasNoBody, unwritableHeader } from '../answer-headers.js'
import { BodyBuffer, type UnfinishedBodies } from '../body-buffer.js'
import { peerAddress } from '../guards/peer-address.js'
import { BODY_CHUNKS_MAX } from '../limits.js'
import { RefusalLinger } from '../refusal-linger.js'
import { REQUEST_ID_HEADER, requestIdOf } from '../request-id.js'
import type { Answer, BodyStream, Refusal, Request, Resolve, Target } from '../server.js'
import { discardStream, isStream, pumpStream, type StreamSink } from '../stream.js'

const NO_BODY = Buffer.alloc(0)

/** `http://host/path` (RFC 9112, 3.2.2): what precedes the path. */
const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i

const BEYOND_ASCII = /[\x80-\xff]/

/** What an exchange needs of the server that it belongs to. */
export interface NodeFront {
  readonly resolve: Resolve
  readonly onError: (error: unknown) => void
  readonly bodies: UnfinishedBodies
  /** True once every answer must end its connection. */
  readonly draining: boolean
  began(exchange: NodeExchange): void
  ended(exchange: NodeExchange): void
  /** Ends the connection when what was written to it has gone, and reads no more of it. */
  stopReading(socket: Socket): void
  /** Has whatever follows on the connection ignored. */
  refused(exchange: NodeExchange): void
}

type State = 'receiving' | 'refusing' | 'handling' | 'sending' | 'done'

/** One request and its answer on `node:http`. */
export class NodeExchange implements Request, StreamSink {
  readonly method: string
  readonly path: string
  readonly query: string
  body: Buffer = NO_BODY
  aborted = false
  /** True when this answer must end the connection. */
  closing = false

  private state: State = 'receiving'
  private target: Target | undefined
  private refusal: Refusal = 'body_too_large'
  private arriving: BodyBuffer | undefined
  private linger: RefusalLinger | undefined
  private streamed: Answer | undefined
  /** True while a stream is pulled, which ends the exchange itself when the client goes. */
  private pulling = false
  private wake: (() => void) | undefined
  private goneCallback: (() => void) | undefined
  private id: string | undefined

  constructor(
    readonly req: IncomingMessage,
    private readonly res: ServerResponse,
    private readonly front: NodeFront,
  ) {
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

  get requestId(): string {
    this.id ??= requestIdOf(this.header('x-request-id'))
    return this.id
  }

  remoteAddress(): string {
    return peerAddress(this.req.socket.remoteAddress ?? '')
  }

  /** True while the server, not the client, is to move next. */
  get isHandling(): boolean {
    return this.state === 'handling'
  }

  /** `awaitsContinue`: the client sends its body only when told to (RFC 9110, 10.1.1). */
  begin(awaitsContinue: boolean): void {
    this.front.began(this)
    this.res.on('close', () => this.connectionClosed())
    // Writing to a connection that has gone is no news: `close` tells.
    this.res.on('error', () => undefined)
    this.req.on('error', () => undefined)
    try {
      const target = this.front.resolve(this)
      this.target = target
      // RFC 9112, 3.2: one Host, and HTTP/1.1 must have it.
      const hosts = this.req.headersDistinct.host?.length ?? 0
      if (hosts > 1 || (hosts === 0 && this.req.httpVersion === '1.1')) this.refuse('malformed_request')
      else this.receive(target, awaitsContinue)
    } catch (error) {
      this.fail(error)
    }
  }

  /** Answers a request that is not complete yet; false when that is too late. */
  refuse(code: Refusal): boolean {
    this.linger?.stop()
    if (this.aborted || (this.state !== 'receiving' && this.state !== 'refusing')) return false
    this.dropBody()
    this.closing = true
    this.front.refused(this)
    this.sendWhole(this.refusalAnswer(code))
    return true
  }

  private receive(target: Target, awaitsContinue: boolean): void {
    const { req } = this
    const { 'content-length': contentLength, 'transfer-encoding': transferEncoding } = req.headers
    if (contentLength === undefined && transferEncoding === undefined) {
      this.handle(target)
      return
    }
    // Other encodings leave a body that nobody here decodes, and HTTP/1.0 has none (RFC 9112, 6.1).
    const isFramed = transferEncoding?.toLowerCase() === 'chunked' && req.httpVersion === '1.1'
    if (transferEncoding !== undefined && !isFramed) {
      this.refuse('malformed_request')
      return
    }
    const declaredBytes = Number(contentLength ?? 0)
    if (declaredBytes > target.bodyLimitBytes) {
      if (awaitsContinue) {
        this.refuse('body_too_large')
        return
      }
      this.lingerThenRefuse('body_too_large')
    } else if (awaitsContinue) {
      this.res.writeContinue()
    }
    const isDeclared = contentLength !== undefined
    this.arriving = new BodyBuffer(this.front.bodies, isDeclared ? declaredBytes : target.bodyLimitBytes, isDeclared)
    if (!isDeclared) this.countChunks()
    req.on('data', (chunk: Buffer) => this.receiveChunk(chunk, target))
    req.on('end', () => this.receiveEnd(target))
  }

  /**
   * Ends a chunked body of too many chunks where the engine hands them over, before each becomes an event: what they cost
   * is their number. Nothing is waited for then, because reading on is what the sender wants.
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
        this.front.stopReading(req.socket)
      }
      return false
    }
  }

  private receiveChunk(chunk: Buffer, target: Target): void {
    if (this.state === 'refusing') {
      this.linger?.heard()
      return
    }
    const { arriving } = this
    if (this.state !== 'receiving' || arriving === undefined) return
    if (arriving.receivedBytes + chunk.length > target.bodyLimitBytes) this.lingerThenRefuse('body_too_large')
    else if (!arriving.add(chunk)) this.lingerThenRefuse('overloaded')
  }

  private receiveEnd(target: Target): void {
    if (this.state === 'refusing') this.refuse(this.refusal)
    const { arriving } = this
    if (this.state !== 'receiving' || this.aborted || arriving === undefined) return
    this.body = arriving.take()
    this.arriving = undefined
    try {
      this.handle(target)
    } catch (error) {
      this.fail(error)
    }
  }

  private handle(target: Target): void {
    this.state = 'handling'
    const answer = target.handle(this)
    if (answer instanceof Promise) {
      answer.then((settled) => this.send(settled)).catch((error) => this.fail(error))
    } else {
      this.send(answer)
    }
  }

  private send(answer: Answer): void {
    const body = answer.body
    if (this.aborted) {
      if (isStream(body)) discardStream(body, this.front.onError)
      this.end()
      return
    }
    const unfit = unwritableHeader(answer.headers)
    if (unfit !== undefined) {
      if (isStream(body)) discardStream(body, this.front.onError)
      this.front.onError(new Error(`The answer's header ${JSON.stringify(unfit)} cannot be written`))
      this.sendWhole(this.refusalAnswer('internal'))
    } else if (isStream(body)) {
      this.sendStream(answer, body)
    } else {
      this.sendWhole(answer)
    }
  }

  private sendWhole(answer: Answer): void {
    const body = isStream(answer.body) ? '' : answer.body
    this.state = 'sending'
    if (hasNoBody(answer.status)) {
      this.writeHead(answer)
      this.res.end()
      return
    }
    this.writeHead(answer, Buffer.byteLength(body))
    // `node:http` drops the body of an answer to HEAD by itself.
    this.res.end(body)
  }

  private sendStream(answer: Answer, stream: BodyStream): void {
    this.state = 'sending'
    this.streamed = answer
    if (this.method === 'HEAD' || hasNoBody(answer.status)) {
      discardStream(stream, this.front.onError)
      this.writeHead(answer)
      this.res.end()
      return
    }
    this.res.on('drain', () => this.wake?.())
    this.pulling = true
    pumpStream(stream, this, this.front.onError)
      .finally(() => {
        this.pulling = false
      })
      .then((isComplete) => {
        if (!isComplete || this.aborted) {
          this.end()
          return
        }
        this.writeStreamHead()
        this.res.end()
      })
      .catch((error) => this.fail(error))
  }

  // StreamSink

  get gone(): boolean {
    return this.aborted
  }

  write(chunk: string | Uint8Array): boolean {
    this.writeStreamHead()
    return this.res.write(chunk)
  }

  writable(): Promise<void> {
    if (this.aborted || !this.res.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  onGone(callback: () => void): void {
    if (this.aborted) callback()
    else this.goneCallback = callback
  }

  private writeStreamHead(): void {
    if (!this.res.headersSent && this.streamed !== undefined) this.writeHead(this.streamed)
  }

  private writeHead(answer: Answer, contentLength?: number): void {
    const headers: string[] = []
    for (const name in answer.headers) headers.push(name, answer.headers[name] ?? '')
    headers.push(REQUEST_ID_HEADER, this.requestId)
    if (contentLength !== undefined) headers.push('Content-Length', String(contentLength))
    if (this.closing || this.front.draining) headers.push('Connection', 'close')
    this.res.writeHead(answer.status, headers)
  }

  private refusalAnswer(code: Refusal): Answer {
    this.target ??= this.front.resolve(this)
    return this.target.refuse(code)
  }

  private lingerThenRefuse(code: Refusal): void {
    this.dropBody()
    this.state = 'refusing'
    this.refusal = code
    this.linger = new RefusalLinger(() => this.refuse(code))
  }

  private dropBody(): void {
    this.arriving?.drop()
    this.arriving = undefined
  }

  /** A defect: reported, and answered while that is still possible; otherwise the connection is cut, not ended. */
  private fail(error: unknown): void {
    this.front.onError(error)
    if (this.aborted || this.state === 'done') {
      this.end()
      return
    }
    if (this.res.headersSent) {
      this.req.socket.destroy()
      return
    }
    try {
      this.closing = true
      this.sendWhole(this.refusalAnswer('internal'))
    } catch (second) {
      this.front.onError(second)
      this.req.socket.destroy()
    }
  }

  /**
   * The answer has been handed over completely, or the connection has gone before. The engine tells the answer that is
   * being written; those that wait behind it, because the client had pipelined, hear of it from the server.
   */
  connectionClosed(): void {
    this.linger?.stop()
    if (this.aborted || this.state === 'done') return
    if (this.res.writableFinished) {
      this.end()
      return
    }
    this.aborted = true
    this.dropBody()
    this.wake?.()
    this.goneCallback?.()
    // A running handler, or a stream, ends the exchange when it has settled.
    if (this.state === 'handling' || this.pulling) return
    this.end()
  }

  private end(): void {
    if (this.state === 'done') return
    this.state = 'done'
    this.front.ended(this)
  }
}

/** `node:http` reads the bytes of a header as Latin-1; clients send UTF-8. Others become U+FFFD. */
function asUtf8(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text
}
