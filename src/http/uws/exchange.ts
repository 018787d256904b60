import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import { hasNoBody, unwritableHeader } from '../answer-headers.js'
import { BodyBuffer, type UnfinishedBodies } from '../body-buffer.js'
import { RefusalLinger } from '../refusal-linger.js'
import { REQUEST_ID_HEADER } from '../request-id.js'
import type { Answer, BodyStream, Refusal, Request, Resolve, Target } from '../server.js'
import { discardStream, isStream, pumpStream } from '../stream.js'
import { type FramingFlaw, framingOf } from './framing.js'
import { UwsHead } from './head.js'
import { UwsStream } from './stream.js'

const NO_BODY = Buffer.alloc(0)

/** Larger answers are handed to the engine piece by piece, so that it is known when the client has taken the last. */
const WHOLE_ANSWER_LIMIT_BYTES = 65_536

const statusLines = new Map(Object.entries(STATUS_CODES).map(([code, text]) => [Number(code), `${code} ${text}`]))

/** What an exchange needs of the server that it belongs to. */
export interface UwsFront {
  readonly resolve: Resolve
  readonly onError: (error: unknown) => void
  readonly bodies: UnfinishedBodies
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
  private arriving: BodyBuffer | undefined
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
    try {
      const framing = framingOf(this.headers)
      if (framing === undefined) this.handle(this.front.resolve(this))
      else this.receive(framing)
    } catch (error) {
      this.fail(error)
    }
    this.req = undefined
  }

  /** The body took too long. */
  timeOut(): void {
    if (this.state === 'receiving') this.refuse('request_timeout')
  }

  private receive(framing: number | FramingFlaw): void {
    this.detach()
    this.watch()
    const target = this.front.resolve(this)
    this.target = target
    if (typeof framing === 'string') {
      this.refuse(framing)
      return
    }
    this.arriving = new BodyBuffer(this.front.bodies, framing, true)
    if (framing > target.bodyLimitBytes) this.lingerThenRefuse('body_too_large')
    this.res.onData((chunk, isLast) => {
      try {
        this.receiveChunk(chunk, isLast, target)
      } catch (error) {
        this.fail(error)
      }
    })
  }

  /** The engine sees to it that a body is no longer than was declared. */
  private receiveChunk(chunk: ArrayBuffer, isLast: boolean, target: Target): void {
    if (this.state === 'refusing') {
      if (isLast) this.refuse(this.refusal)
      else this.linger?.heard()
      return
    }
    const { arriving } = this
    if (this.state !== 'receiving' || arriving === undefined) return
    if (!arriving.add(new Uint8Array(chunk))) {
      this.stopWaiting()
      if (isLast) this.refuse('overloaded')
      else this.lingerThenRefuse('overloaded')
      return
    }
    if (!isLast) {
      this.front.awaitBody(this)
      return
    }
    this.body = arriving.take()
    this.stopWaiting()
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
    if (this.closing && this.method === 'HEAD') {
      // A refusal must close, which `endWithoutBody` cannot.
      res.end('', true)
    } else if (hasNoBody(answer.status) || this.method === 'HEAD') {
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
    // The head is written later, when the engine's request can no longer be read.
    this.detach()
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
    // One call for all of them, each of which would cross into the engine: it writes a value as it is.
    let value = this.requestId
    for (const name in headers) value += `\r\n${name}: ${headers[name] ?? ''}`
    res.writeHeader(REQUEST_ID_HEADER, value)
  }

  // Refusals

  private lingerThenRefuse(code: Refusal): void {
    this.state = 'refusing'
    this.refusal = code
    this.linger = new RefusalLinger(() => this.refuse(code))
  }

  /**
   * Refuses and closes, in a later turn of the event loop. Until then the exchange is unanswered, and what follows in the
   * same packet makes the engine close the connection without calling anybody: no byte behind a refused request is ever
   * taken for a request. An answer given here would let the engine go on with the rest of the packet before it closes.
   */
  private refuse(code: Refusal): void {
    this.stopWaiting()
    if (this.aborted || this.state === 'done' || this.state === 'sending') return
    this.refuseLater(code)
  }

  private refuseLater(code: Refusal): void {
    this.state = 'refusing'
    this.refusal = code
    setImmediate(() => {
      if (this.aborted) this.end()
      else if (this.state === 'refusing') this.sendRefusal()
    })
  }

  private sendRefusal(): void {
    this.closing = true
    this.res.cork(() => {
      try {
        this.sendWhole(this.refusalAnswer(this.refusal))
      } catch (error) {
        this.front.onError(error)
        this.close()
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
    this.detach()
    this.watch()
    this.refuseLater('internal')
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
    this.arriving?.drop()
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
