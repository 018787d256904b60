import { BoundedMap } from '../base/bounded-map.js'
import type { BodyBuffer, UnfinishedBodies } from './body-buffer.js'
import { RefusalLinger } from './refusal-linger.js'
import { requestIdOf } from './request-id.js'
import type { Answer, BodyStream, Refusal, Request, Resolve, Target } from './server.js'
import { discardStream, pumpStream, type StreamSink } from './stream.js'

const NO_BODY = Buffer.alloc(0)

/** What an exchange needs of the server that it belongs to. */
export interface Front {
  readonly resolve: Resolve
  readonly onError: (error: unknown) => void
  readonly bodies: UnfinishedBodies
  /** True once every answer must end its connection. */
  readonly draining: boolean
}

/** `handling` lasts until the handler has settled, even if the client has gone. */
type State = 'receiving' | 'refusing' | 'handling' | 'sending' | 'done'

/** One request and its answer: the part that is the same on both engines. */
export abstract class Exchange implements Request, StreamSink {
  abstract readonly method: string
  abstract readonly path: string
  abstract readonly query: string
  body: Buffer = NO_BODY
  aborted = false
  /** True if this answer must end the connection. */
  closing = false

  protected abstract readonly front: Front
  protected state: State = 'receiving'
  protected arriving: BodyBuffer | undefined
  protected refusal: Refusal = 'body_too_large'
  protected linger: RefusalLinger | undefined
  protected headWritten = false
  /** The answer whose body is a stream. */
  protected streamed: Answer | undefined
  protected wake: (() => void) | undefined
  private resolved: Target | undefined
  /** True while a stream is pulled, which ends the exchange itself if the client goes. */
  private pulling = false
  private goneCallback: (() => void) | undefined
  private id: string | undefined

  abstract header(name: string): string | undefined
  abstract remoteAddress(): string

  get requestId(): string {
    this.id ??= requestIdOf(this.header('x-request-id'))
    return this.id
  }

  /** Refuses the request, whose body may still be arriving, and ends the connection. */
  abstract refuse(code: Refusal): void

  /** Sends an answer whose body is complete. */
  protected abstract sendWhole(answer: Answer): void
  /** Sends the head of an answer without a body. */
  protected abstract sendHead(answer: Answer): void
  /** Called before the first chunk of a stream: has `wake` called when the client has taken what was written. */
  protected abstract beginStream(): void
  protected abstract endStream(): void
  /** Cuts the connection. */
  protected abstract cut(): void
  /** Answers `internal` to a request whose answer has not begun. */
  protected abstract sendDefect(): void
  /** Called once, when the exchange is over. */
  protected abstract ended(): void
  /** Called if the exchange outlives the engine's callback. */
  protected outlive(): void {}

  protected get target(): Target {
    this.resolved ??= this.front.resolve(this)
    return this.resolved
  }

  protected get mustClose(): boolean {
    return this.closing || this.front.draining
  }

  protected handle(): void {
    this.state = 'handling'
    const answer = this.target.handle(this)
    if (answer instanceof Promise) {
      this.outlive()
      answer.then((settled) => this.sendLater(settled)).catch((error) => this.fail(error))
    } else {
      this.send(answer)
    }
  }

  /** Sends an answer outside the engine's callback. */
  protected sendLater(answer: Answer): void {
    this.send(answer)
  }

  protected send(answer: Answer): void {
    const { body } = answer
    const unfit = this.aborted ? undefined : unwritableHeader(answer.headers)
    if (isStream(body) && (this.aborted || unfit !== undefined)) discardStream(body, this.front.onError)
    if (this.aborted) {
      this.end()
    } else if (unfit !== undefined) {
      this.front.onError(new Error(`cannot write the answer's header ${JSON.stringify(unfit)}`))
      this.sendWhole(this.target.refuse('internal'))
    } else if (isStream(body)) {
      this.sendStream(answer, body)
    } else {
      this.sendWhole(answer)
    }
  }

  private sendStream(answer: Answer, stream: BodyStream): void {
    this.state = 'sending'
    if (this.method === 'HEAD' || hasNoBody(answer.status)) {
      discardStream(stream, this.front.onError)
      this.sendHead(answer)
      return
    }
    this.streamed = answer
    this.pulling = true
    this.beginStream()
    pumpStream(stream, this, this.front.onError)
      .finally(() => {
        this.pulling = false
      })
      .then((isComplete) => {
        if (isComplete && !this.aborted) this.endStream()
        else this.end()
      })
      .catch((error) => this.fail(error))
  }

  // StreamSink

  get gone(): boolean {
    return this.aborted
  }

  abstract write(chunk: string | Uint8Array): boolean

  writable(): Promise<void> {
    if (this.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  onGone(callback: () => void): void {
    if (this.aborted) callback()
    else this.goneCallback = callback
  }

  // Ends

  /** Drops the rest of the body before it refuses the request; see `RefusalLinger`. */
  protected lingerThenRefuse(code: Refusal): void {
    this.stopWaiting()
    this.state = 'refusing'
    this.refusal = code
    this.linger = new RefusalLinger(() => this.refuse(code))
  }

  protected sendRefusal(code: Refusal): void {
    this.closing = true
    try {
      this.sendWhole(this.target.refuse(code))
    } catch (error) {
      this.front.onError(error)
      this.cut()
    }
  }

  /** Reports a defect. Answers it if no answer has begun; otherwise the connection is cut, not ended. */
  protected fail(error: unknown): void {
    this.front.onError(error)
    if (this.aborted || this.state === 'done') this.end()
    else if (this.headWritten) this.cut()
    else this.sendDefect()
  }

  /** The client has gone. A running handler, or a stream, ends the exchange when it has settled. */
  protected abort(): void {
    this.aborted = true
    this.stopWaiting()
    this.wake?.()
    this.goneCallback?.()
    if (this.state !== 'handling' && !this.pulling) this.end()
  }

  /** Nothing more of the body is wanted, or will come. */
  protected stopWaiting(): void {
    this.arriving?.drop()
    this.arriving = undefined
    this.linger?.stop()
  }

  protected end(): void {
    if (this.state === 'done') return
    this.state = 'done'
    this.ended()
  }
}

/** A token (RFC 9110, 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible ASCII, space and tab: no CR, LF or NUL can split the response, and no engine's encoding matters. */
const VALUE = /^[\t\x20-\x7e]*$/

/** Names whose latest value is remembered; most headers are the same in every answer. */
const REMEMBERED_MAX = 64

/** The latest value of a header that was found fit, by its name. */
const fit = new BoundedMap<string, string>(REMEMBERED_MAX)

/** The name of the first header that must not be written; `undefined` if there is none. */
export function unwritableHeader(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && fit.get(name) === value) continue
    if (!NAME.test(name) || typeof value !== 'string' || !VALUE.test(value)) return name
    fit.set(name, value)
  }
  return undefined
}

export function isStream(body: Answer['body']): body is BodyStream {
  return typeof body !== 'string' && !(body instanceof Uint8Array)
}

/** Whether answers with this status have no body and no Content-Length (RFC 9110, 6.4.1 and 8.6). */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304
}
