import { type BodyBuffer, type Front, NO_BODY, requestIdOf } from './front.js'
import { unwritableHeader } from './header-values.js'
import type { Answer, BodyStream, Refusal, Request, Target } from './server.js'
import { discardStream, pumpStream, type StreamSink } from './stream.js'

/** How long the client of a refused body must be silent before the refusal is sent. */
const REFUSAL_SILENCE_MS = 50
/** After this time the refusal is sent even if the body still arrives. */
const REFUSAL_LINGER_MS = 2_000

/** `handling` lasts until the handler has settled, and `streaming` until its stream has, even if the client has gone. */
type State = 'receiving' | 'refusing' | 'handling' | 'streaming' | 'sending' | 'done'

/** One request and its answer: the part that is the same on both engines. */
export abstract class Exchange implements Request, StreamSink {
  abstract readonly method: string
  abstract readonly path: string
  abstract readonly query: string
  body: Buffer = NO_BODY
  aborted = false
  /** True if this answer must end the connection. */
  closing = false
  onGone: (() => void) | undefined

  protected abstract readonly front: Front
  protected state: State = 'receiving'
  protected arriving: BodyBuffer | undefined
  /** Why the request is refused when its body has ended. */
  protected refusal: Refusal = 'body_too_large'
  /** Runs while the rest of a refused body is dropped; refreshed by each chunk. */
  protected silence: NodeJS.Timeout | undefined
  /** Runs while a body arrives. */
  protected deadline: NodeJS.Timeout | undefined
  protected headWritten = false
  /** The answer whose body is a stream. */
  protected streamed: Answer | undefined
  protected wake: (() => void) | undefined
  private releaseUnread: (() => void) | undefined
  private resolved: Target | undefined
  private id: string | undefined

  abstract header(name: string): string | undefined
  abstract remoteAddress(): string

  get requestId(): string {
    this.id ??= requestIdOf(this.header('x-request-id'))
    return this.id
  }

  /** Sends an answer. A body that is a stream is left out. */
  protected abstract sendWhole(answer: Answer): void
  protected abstract writeHead(answer: Answer): void
  /** Called before the first chunk of a stream: has `wake` called when the client has taken what was written. */
  protected abstract beginStream(): void
  protected abstract endStream(): void
  protected abstract cut(): void
  /** Called if the exchange outlives the engine's callback. */
  protected watch(): void {}

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
      this.watch()
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
    const isCrowdedOut = !this.aborted && isLong(body) && !this.hasRoom(body)
    if (isStream(body) && (this.aborted || unfit !== undefined || isCrowdedOut)) {
      discardStream(body, this.front.onError)
    }
    if (this.aborted) {
      this.end()
    } else if (unfit !== undefined) {
      this.front.onError(new Error(`cannot write the answer's header ${JSON.stringify(unfit)}`))
      this.sendWhole(this.target.refuse('internal'))
    } else if (isCrowdedOut) {
      this.sendWhole(this.target.refuse('overloaded'))
    } else if (isStream(body)) {
      this.sendStream(answer, body)
    } else {
      this.sendWhole(answer)
    }
  }

  private hasRoom(body: Answer['body']): boolean {
    const { streams, settings, unread } = this.front
    if (isStream(body) && streams >= (settings.streamLimit ?? Number.POSITIVE_INFINITY)) return false
    return unread.hasRoom(() => this.unreadClient())
  }

  private sendStream(answer: Answer, stream: BodyStream): void {
    if (this.method === 'HEAD' || hasNoBody(answer.status)) {
      discardStream(stream, this.front.onError)
      this.sendWhole(answer)
      return
    }
    this.state = 'streaming'
    this.streamed = answer
    this.front.streams += 1
    this.beginStream()
    pumpStream(stream, this, this.front.onError)
      .finally(() => {
        this.state = 'sending'
      })
      .then((isComplete) => {
        if (isComplete && !this.aborted) this.endStream()
        else this.end()
      })
      .catch((error) => this.fail(error))
  }

  write(chunk: string | Uint8Array): boolean {
    const isTaken = this.writeChunk(chunk)
    if (!isTaken) this.holdUnread(Buffer.byteLength(chunk))
    return isTaken
  }

  protected abstract writeChunk(chunk: string | Uint8Array): boolean

  /** Counts bytes that the client has yet to take, until it has, or has gone. */
  protected holdUnread(bytes: number): void {
    this.releaseUnread?.()
    this.releaseUnread = this.front.unread.hold(this.unreadClient(), bytes)
  }

  /** The client that unread answers count for; null if the peer is a proxy, behind which there may be many. */
  private unreadClient(): string | null {
    return this.front.settings.share?.clientOf(this.remoteAddress()) ?? null
  }

  protected writeStreamHead(): void {
    if (!this.headWritten && this.streamed !== undefined) this.writeHead(this.streamed)
  }

  writable(): Promise<void> {
    if (this.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      this.wake = () => {
        this.releaseUnread?.()
        resolve()
      }
    })
  }

  /**
   * Drops the rest of the body until the client falls silent or the time is up, and then refuses. If a socket is closed
   * with unread input, the kernel resets the connection, and the client may lose the answer (measured with 8 MB bodies:
   * 17 of 30 `fetch` calls failed with EPIPE without this, none with it).
   */
  protected lingerThenRefuse(code: Refusal): void {
    this.stopWaiting()
    this.state = 'refusing'
    this.refusal = code
    this.silence = setTimeout(() => this.refuse(code), REFUSAL_SILENCE_MS)
    this.deadline = setTimeout(() => this.refuse(code), REFUSAL_LINGER_MS)
  }

  /** Refuses the request, whose body may still be arriving, and ends the connection. False if it is too late. */
  refuse(code: Refusal): boolean {
    this.stopWaiting()
    if (this.aborted || (this.state !== 'receiving' && this.state !== 'refusing')) return false
    this.sendRefusal(code)
    return true
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
    else this.sendRefusal('internal')
  }

  /** The client has gone. A running handler, or a stream, ends the exchange when it has settled. */
  protected abort(): void {
    this.aborted = true
    this.stopWaiting()
    this.wake?.()
    this.onGone?.()
    if (this.state !== 'handling' && this.state !== 'streaming') this.end()
  }

  /** Nothing more of the body is wanted, or will come. */
  protected stopWaiting(): void {
    this.arriving?.drop()
    this.arriving = undefined
    clearTimeout(this.silence)
    clearTimeout(this.deadline)
  }

  protected end(): void {
    if (this.state === 'done') return
    this.state = 'done'
    this.releaseUnread?.()
    if (this.streamed !== undefined) this.front.streams -= 1
    this.front.ended()
  }
}

/** Larger answers are counted as long as clients have not taken them. */
export const LONG_ANSWER_BYTES = 65_536

function isLong(body: Answer['body']): boolean {
  return isStream(body) || body.length > LONG_ANSWER_BYTES
}

export function isStream(body: Answer['body']): body is BodyStream {
  return typeof body !== 'string' && !(body instanceof Uint8Array)
}

/** Whether answers with this status have no body and no Content-Length (RFC 9110, 6.4.1 and 8.6). */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304
}
