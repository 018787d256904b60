import type { HttpResponse } from 'uWebSockets.js'
import type { StreamSink } from '../stream.js'

/** A streamed answer on its way through the engine: a chunk goes out when the client has taken the last. */
export class UwsStream implements StreamSink {
  gone = false
  hasBegun = false
  private wake: (() => void) | undefined
  private goneCallback: (() => void) | undefined

  /** `writeHead` is called within a cork, before the first chunk. */
  constructor(
    private readonly res: HttpResponse,
    private readonly writeHead: () => void,
  ) {
    res.onWritable(() => {
      this.wake?.()
      return true
    })
  }

  write(chunk: string | Uint8Array): boolean {
    let isTaken = true
    this.res.cork(() => {
      this.begin()
      isTaken = this.res.write(chunk)
    })
    return isTaken
  }

  writable(): Promise<void> {
    if (this.gone) return Promise.resolve()
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  onGone(callback: () => void): void {
    if (this.gone) callback()
    else this.goneCallback = callback
  }

  /** Completes the answer. */
  end(): void {
    this.res.cork(() => {
      this.begin()
      // Without its `closeConnection`: after a first chunk the engine would write that header into the body.
      this.res.end()
    })
  }

  /** The client has gone. */
  abort(): void {
    this.gone = true
    this.wake?.()
    this.goneCallback?.()
  }

  private begin(): void {
    if (this.hasBegun) return
    this.hasBegun = true
    this.writeHead()
  }
}
