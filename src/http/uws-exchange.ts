import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import { hasNoBody, unwritableHeader } from './answer-headers.js'
import { RefusalLinger } from './refusal-linger.js'
import type { Answer, BodyStream, Refusal, Request, Resolve, Target } from './server.js'
import { discardStream, isStream, pumpStream } from './stream.js'
import { UwsBody } from './uws-body.js'
import { UwsHead } from './uws-head.js'
import { UwsStream } from './uws-stream.js'

const NO_BODY = Buffer.alloc(0)

/** A declared Content-Length that can be counted exactly; a repeated one reads as "3, 5" and is refused. */
const CONTENT_LENGTH = /^\d{1,15}$/

/** Larger answers are handed to the engine piece by piece, so that it is known when the client has taken the last. */
const WHOLE_ANSWER_LIMIT_BYTES = 65_536

const statusLines = new Map(Object.entries(STATUS_CODES).map(([code, text]) => [Number(code), `${code} ${text}`]))

/** What an exchange needs of the server that it belongs to. */
export interface UwsFront {
  readonly resolve: Resolve
  readonly onError: (error: unknown) => void
  /** True once every answer must end its connection. */
  readonly draining: boolean
  /** Counts the exchange among those that `drain` waits for. */
  began(): void
  ended(): void
  /** Has `timeOut` called when the body takes longer than a request may. */
  awaitBody(exchange: UwsExchange): void
  bodyArrived(exchange: UwsExchange): void
}

/** `handling` lasts until the handler has settled, whether or not the client is still there. */
type State = 'receiving' | 'refusing' | 'handling' | 'sending' | 'done'

/**
 * One request and its answer. A request without a body, to a handler that answers at once, costs this object and no
 * closure, promise or copied header.
 */
export class UwsExchange extends UwsHead implements Request {
  body: Buffer = NO_BODY
  aborted = false

  private state: State = 'receiving'
  private target: Target | undefined
  private arriving: UwsBody | undefined
  private refusal: Refusal = 'body_too_large'
  private linger: RefusalLinger | undefined
  private watched = false
  /** True when this answer must end the connection. */
  private closing = false
  private headWritten = false
  private stream: UwsStream | undefined

  constructor(
    method: string,
    res: HttpResponse,
    req: HttpRequest,
    private readonly front: UwsFront,
  ) {
    super(method, res, req)
  }

  /** Takes the request; called inside the engine's callback, which must find it answered or watched when it returns. */
  begin(): void {
    this.front.began()
    const req = this.req
    if (req === undefined) return
    try {
      if (req.getHeader('content-length') !== '' || req.getHeader('transfer-encoding') !== '') this.receive()
      else this.handle(this.front.resolve(this))
    } catch (error) {
      this.fail(error)
    }
    this.req = undefined
  }

  /** The body took too long. */
  timeOut(): void {
    if (this.state !== 'receiving') return
    this.refusal = 'request_timeout'
    this.refuse()
  }

  private receive(): void {
    this.detach()
    this.watch()
    const target = this.front.resolve(this)
    this.target = target
    const declaredBytes = this.declaredBytes()
    if (declaredBytes === 'malformed') {
      this.refusal = 'malformed_request'
      this.refuse()
      return
    }
    this.arriving = new UwsBody(declaredBytes)
    if (declaredBytes !== undefined && declaredBytes > target.bodyLimitBytes) this.lingerThenRefuse()
    this.res.onData((chunk, isLast) => {
      try {
        this.receiveChunk(chunk, isLast, target)
      } catch (error) {
        this.fail(error)
      }
    })
  }

  /** The length of the body, `undefined` when it is chunked. */
  private declaredBytes(): number | undefined | 'malformed' {
    const transferEncoding = this.header('transfer-encoding') ?? ''
    // The engine would wait for ever for a body in an encoding that it does not know.
    if (transferEncoding !== '') return transferEncoding.toLowerCase() === 'chunked' ? undefined : 'malformed'
    // The engine refuses what is not a number by itself, but takes the first of several: the rest of such a body would
    // be read as the next request.
    const contentLength = this.header('content-length') ?? ''
    return CONTENT_LENGTH.test(contentLength) ? Number(contentLength) : 'malformed'
  }

  private receiveChunk(chunk: ArrayBuffer, isLast: boolean, target: Target): void {
    if (this.state === 'refusing') {
      if (isLast) this.refuse()
      else this.linger?.heard()
      return
    }
    const { arriving } = this
    if (this.state !== 'receiving' || arriving === undefined) return
    const chunkBytes = chunk.byteLength
    if (arriving.receivedBytes + chunkBytes > target.bodyLimitBytes) {
      this.stopWaiting()
      if (isLast) this.refuse()
      else this.lingerThenRefuse()
      return
    }
    if (chunkBytes > 0) arriving.add(chunk)
    if (!isLast) {
      this.front.awaitBody(this)
      return
    }
    this.stopWaiting()
    this.body = arriving.take()
    this.handle(target)
  }

  private handle(target: Target): void {
    this.target = target
    this.state = 'handling'
    const answer = target.handle(this)
    if (!(answer instanceof Promise)) {
      this.send(answer)
      return
    }
    this.detach()
    this.watch()
    answer
      .then((settled) => {
        if (this.aborted) this.send(settled)
        else this.res.cork(() => this.send(settled))
      })
      .catch((error) => this.fail(error))
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
    const { res } = this
    const body = isStream(answer.body) ? '' : answer.body
    const close = this.mustClose()
    this.state = 'sending'
    this.writeHead(answer)
    if (hasNoBody(answer.status) || this.method === 'HEAD') {
      // `endWithoutBody` with a length leaves the exchange pending for ever, hence the header by hand. It cannot close
      // either; the client does, or the engine after its idle time.
      if (!hasNoBody(answer.status)) res.writeHeader('Content-Length', String(Buffer.byteLength(body)))
      if (close) res.writeHeader('Connection', 'close')
      res.endWithoutBody()
    } else if (body.length > WHOLE_ANSWER_LIMIT_BYTES) {
      this.sendLarge(typeof body === 'string' ? Buffer.from(body) : body, close)
      return
    } else {
      res.end(body, close)
    }
    this.end()
  }

  /** Hands `body` over as the client takes it: nothing of it is copied into the engine. */
  private sendLarge(body: Uint8Array, close: boolean): void {
    const { res } = this
    this.watch()
    // `tryEnd` cannot close; see `sendWhole`.
    if (close) res.writeHeader('Connection', 'close')
    const [, isDone] = res.tryEnd(body, body.length)
    if (isDone) {
      this.end()
      return
    }
    res.onWritable((offset) => {
      const [isOk, isComplete] = res.tryEnd(body.subarray(offset), body.length)
      if (isComplete) this.end()
      return isOk
    })
  }

  private sendStream(answer: Answer, stream: BodyStream): void {
    this.state = 'sending'
    if (this.method === 'HEAD' || hasNoBody(answer.status)) {
      discardStream(stream, this.front.onError)
      this.writeHead(answer)
      if (this.mustClose()) this.res.writeHeader('Connection', 'close')
      this.res.endWithoutBody()
      this.end()
      return
    }
    this.watch()
    const sink = new UwsStream(this.res, () => {
      this.writeHead(answer)
      if (this.mustClose()) this.res.writeHeader('Connection', 'close')
    })
    this.stream = sink
    pumpStream(stream, sink, this.front.onError)
      .then((isComplete) => {
        if (isComplete && !sink.gone) sink.end()
        this.end()
      })
      .catch((error) => this.fail(error))
  }

  private writeHead(answer: Answer): void {
    this.headWritten = true
    const { res } = this
    const { status, headers } = answer
    // 200 is what the engine writes by itself.
    if (status !== 200) res.writeStatus(statusLines.get(status) ?? `${status} Unknown`)
    for (const name in headers) res.writeHeader(name, headers[name] ?? '')
  }

  // Refusals

  private lingerThenRefuse(): void {
    this.state = 'refusing'
    this.linger = new RefusalLinger(() => this.refuse())
  }

  private refuse(): void {
    this.stopWaiting()
    if (this.aborted || this.state === 'done' || this.state === 'sending') return
    this.closing = true
    this.res.cork(() => {
      try {
        this.sendWhole(this.refusalAnswer(this.refusal))
      } catch (error) {
        this.fail(error)
      }
    })
  }

  private refusalAnswer(code: Refusal): Answer {
    this.target ??= this.front.resolve(this)
    return this.target.refuse(code)
  }

  /** A defect: reported, and answered while that is still possible; otherwise the connection is cut, not ended. */
  private fail(error: unknown): void {
    this.front.onError(error)
    if (this.aborted || this.state === 'done') {
      this.end()
      return
    }
    if (this.headWritten) {
      this.close()
      return
    }
    try {
      this.closing = true
      this.res.cork(() => this.sendWhole(this.refusalAnswer('internal')))
    } catch (second) {
      this.front.onError(second)
      this.close()
    }
  }

  // The engine's connection

  private close(): void {
    this.watch()
    this.res.close()
    this.end()
  }

  private mustClose(): boolean {
    return this.closing || this.front.draining
  }

  private watch(): void {
    if (this.watched) return
    this.watched = true
    this.res.onAborted(() => this.abort())
  }

  private abort(): void {
    this.aborted = true
    this.isOver = true
    this.stopWaiting()
    this.stream?.abort()
    // A running handler, or a stream, ends the exchange when it has settled.
    if (this.state === 'handling' || this.stream !== undefined) return
    this.end()
  }

  /** Nothing more of the body is wanted, or will come. */
  private stopWaiting(): void {
    this.arriving = undefined
    this.linger?.stop()
    this.front.bodyArrived(this)
  }

  private end(): void {
    if (this.state === 'done') return
    this.state = 'done'
    this.isOver = true
    this.front.ended()
  }
}
