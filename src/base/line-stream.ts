import { write as systemWrite } from 'node:fs'
import type { Cancel, Scheduler } from '../scheduler.js'
import { type BackOff, backOffMs } from './back-off.js'

/** What may wait for a reader. Lines beyond it are lost. */
export const LINES_WAITING_BYTES_MAX = 1 << 20

/** The most in one write. Log drivers of containers cut what is longer into pieces. */
const WRITE_BYTES_MAX = 16 * 1024

/** Pauses while the descriptor takes nothing. The longest is how late it is noticed that it does again. */
const PAUSES: BackOff = { firstMs: 5, maxMs: 1000 }

/** Nothing is wrong with a descriptor that says so: its reader is slow, or has stopped. */
const NOT_NOW: readonly (string | undefined)[] = ['EAGAIN', 'EBUSY', 'ENOBUFS']

const LINE_FEED = 0x0a

type WriteBytes = (
  fd: number,
  bytes: Buffer,
  done: (error: NodeJS.ErrnoException | null, taken: number) => void,
) => void

type Flushed = (failure?: Error) => void

export interface LineStreamOptions {
  /** A write to it must not wait for a reader. */
  readonly fd: number
  readonly scheduler: Scheduler
  /** The line that is written in the place of lost ones; without it nothing tells of them. `failure` is the last error of a write. */
  readonly aboutLost?: (lost: number, failure: Error | null) => string
  /** A write has failed where the last one had not. */
  readonly onFailed?: (failure: Error) => void
  /** For tests. */
  readonly write?: WriteBytes
}

/**
 * Writes lines to a descriptor that cannot stop the program: its disk may be full or broken, its reader may have stopped or
 * gone. Lines wait for a reader within a bound. Lines that do not fit, and those that the system refuses, are lost and
 * counted. What is written consists of whole lines, with one line in each place where some are missing.
 */
export class LineStream {
  private fd: number
  private readonly writeBytes: WriteBytes
  private queue: string[] = []
  private queuedBytes = 0
  /** What the system has not taken yet of the present write. */
  private rest: Buffer | null = null
  /** Whether the system has taken part of the first line of `rest`. */
  private isLineBegun = false
  /** How many lost lines the present write tells of. */
  private telling = 0
  /** Lost lines of which nothing tells yet. */
  private untold = 0
  private lostLines = 0
  /** From a loss until everything before it is written: what comes in between would be in the wrong place. */
  private isLosing = false
  private isWriting = false
  private endPause: Cancel | null = null
  /** Writes in a row of which nothing was taken. */
  private failures = 0
  private failure: Error | null = null
  private flushed: Flushed[] = []
  private settled: (() => void)[] = []

  constructor(private readonly options: LineStreamOptions) {
    this.fd = options.fd
    this.writeBytes = options.write ?? systemWrite
  }

  /** How many lines were lost. */
  get lost(): number {
    return this.lostLines
  }

  get descriptor(): number {
    return this.fd
  }

  /** Takes a line with its line feed. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line)
    if (this.isLosing || this.queuedBytes + bytes > LINES_WAITING_BYTES_MAX) {
      this.isLosing = true
      this.lose(1)
      return
    }
    this.queue.push(line)
    this.queuedBytes += bytes
    if (!this.isWriting && this.endPause === null) this.next()
  }

  /** Calls back when every line so far is written, or when a write fails before. Pino calls it. */
  flush(done: Flushed): void {
    this.flushed.push(done)
    if (this.isWriting) return
    this.endPause?.()
    this.endPause = null
    this.next()
  }

  /** Resolves when nothing goes to the descriptor of before any more. */
  moveTo(fd: number): Promise<void> {
    this.fd = fd
    if (!this.isWriting) return Promise.resolve()
    return new Promise((resolve) => this.settled.push(resolve))
  }

  private next(): void {
    this.rest ??= this.queuedLines() ?? this.lineAboutLost()
    if (this.rest === null) {
      this.isLosing = false
      this.endFlushes()
      return
    }
    this.isWriting = true
    this.writeBytes(this.fd, this.rest, (error, taken) => this.written(error, taken))
  }

  private queuedLines(): Buffer | null {
    let lines = ''
    let bytes = 0
    let count = 0
    for (const line of this.queue) {
      const more = Buffer.byteLength(line)
      if (count > 0 && bytes + more > WRITE_BYTES_MAX) break
      lines += line
      bytes += more
      count += 1
    }
    if (count === 0) return null
    this.queue.splice(0, count)
    this.queuedBytes -= bytes
    return Buffer.from(lines)
  }

  private lineAboutLost(): Buffer | null {
    const { aboutLost } = this.options
    if (this.untold === 0 || aboutLost === undefined) return null
    this.telling = this.untold
    this.untold = 0
    // Lines from now on follow this one.
    this.isLosing = false
    return Buffer.from(aboutLost(this.telling, this.failure))
  }

  private written(error: NodeJS.ErrnoException | null, taken: number): void {
    this.isWriting = false
    for (const settle of this.settled.splice(0)) settle()
    const isRefused = error !== null && !NOT_NOW.includes(error.code)
    if (isRefused) this.refused(error)
    else if (error === null && taken > 0) {
      this.take(taken)
      this.next()
      return
    }
    this.failures += 1
    this.endPause = this.options.scheduler.after(backOffMs(this.failures, PAUSES), () => {
      this.endPause = null
      this.next()
    })
    if (isRefused) this.endFlushes(error)
  }

  private take(bytes: number): void {
    const { rest } = this
    this.failures = 0
    if (rest === null || bytes === rest.length) {
      this.rest = null
      this.isLineBegun = false
      this.telling = 0
      if (this.untold === 0 || this.options.aboutLost === undefined) this.failure = null
      return
    }
    this.isLineBegun = rest[bytes - 1] !== LINE_FEED
    this.rest = rest.subarray(bytes)
  }

  /** Loses everything that waits, but for the end of a line that has begun. */
  private refused(failure: Error): void {
    const lines = this.rest ?? Buffer.alloc(0)
    const begun = this.isLineBegun ? lines.subarray(0, lines.indexOf(LINE_FEED) + 1) : null
    if (this.telling === 0) this.lose(lineFeeds(lines) - (begun === null ? 0 : 1))
    else if (begun === null) {
      this.untold += this.telling
      this.telling = 0
    }
    this.lose(this.queue.length)
    this.rest = begun
    this.queue = []
    this.queuedBytes = 0
    this.isLosing = this.options.aboutLost !== undefined
    if (this.failure === null) this.options.onFailed?.(failure)
    this.failure = failure
  }

  private lose(lines: number): void {
    this.lostLines += lines
    this.untold += lines
  }

  private endFlushes(failure?: Error): void {
    for (const end of this.flushed.splice(0)) end(failure)
  }
}

function lineFeeds(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1
  return count
}
