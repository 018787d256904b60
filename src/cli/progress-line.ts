import type { Clock } from '../clock.js'

const BAR_WIDTH = 30
/** Pause between two updates of the bar. */
const DRAW_PAUSE_MS = 100
/** Pause between two lines where there is no terminal. */
const LINE_PAUSE_MS = 10_000
/** Moves to the start of the line and clears it (ECMA-48: CR, EL). */
const CLEAR = '\r\u001b[K'

export interface ProgressLineOptions {
  readonly clock: Clock
  /** Writes text as it is, without a line feed. */
  readonly write: (text: string) => void
  readonly isTerminal: boolean
  /** The total number of blocks. */
  readonly total: number
}

/** The progress of some work: a bar on a terminal, else a line now and then. */
export class ProgressLine {
  private readonly startMs: number
  private writtenMs: number
  private isDrawn = false
  private last = ''

  constructor(private readonly options: ProgressLineOptions) {
    this.startMs = options.clock.now()
    this.writtenMs = this.startMs
  }

  /** `what` completes the line with the findings so far. */
  show(done: number, what: string): void {
    const { clock, isTerminal, total } = this.options
    const sinceMs = clock.now() - this.writtenMs
    const isEnd = done >= total
    const pauseMs = isTerminal ? DRAW_PAUSE_MS : LINE_PAUSE_MS
    if (sinceMs >= 0 && sinceMs < pauseMs && !isEnd) return
    this.writtenMs = clock.now()
    const text = `${Math.floor((100 * done) / total)} % (${done} of ${total} blocks${this.left(done)}), ${what}`
    if (text === this.last) return
    this.last = text
    if (isTerminal) this.draw(done, text)
    else this.options.write(`${text}\n`)
  }

  /** Clears the bar, so that another line can be printed. */
  clear(): void {
    if (this.isDrawn) this.options.write(CLEAR)
    this.isDrawn = false
  }

  private draw(done: number, text: string): void {
    const filled = Math.floor((BAR_WIDTH * done) / this.options.total)
    this.options.write(`${CLEAR}[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${text}`)
    this.isDrawn = true
  }

  /** The estimated time left, once there is an estimate. */
  private left(done: number): string {
    const elapsedMs = this.options.clock.now() - this.startMs
    if (done === 0 || done >= this.options.total || elapsedMs <= 0) return ''
    const seconds = Math.ceil(((elapsedMs / done) * (this.options.total - done)) / 1000)
    return seconds < 120 ? `, about ${seconds} s left` : `, about ${Math.ceil(seconds / 60)} min left`
  }
}
