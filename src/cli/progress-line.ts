import type { Clock } from '../clock.js'

const BAR_WIDTH = 30
/** A shorter one says nothing that the percentage does not. */
const BAR_WIDTH_MIN = 10
/** The bar's brackets, and the blank behind it. */
const BAR_FRAME = 3
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
  /** The columns of the terminal at this moment; null where there is none. */
  columns(): number | null
  /** What is counted, in the plural. */
  readonly unit: string
}

/** A line about what is going on, on a terminal; elsewhere nothing. */
export class StatusLine {
  private shown = ''

  constructor(private readonly options: Pick<ProgressLineOptions, 'write' | 'columns'>) {}

  show(text: string): void {
    const columns = this.options.columns()
    if (columns === null || text === this.shown) return
    this.options.write(`${CLEAR}${fitting(text, columns)}`)
    this.shown = text
  }

  /** Clears the line, so that another one can be printed. */
  clear(): void {
    if (this.shown !== '') this.options.write(CLEAR)
    this.shown = ''
  }
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
  show(done: number, total: number | null, what: string): void {
    const { clock } = this.options
    const columns = this.options.columns()
    const sinceMs = clock.now() - this.writtenMs
    const isEnd = total !== null && done >= total
    const pauseMs = columns !== null ? DRAW_PAUSE_MS : LINE_PAUSE_MS
    if (sinceMs >= 0 && sinceMs < pauseMs && !isEnd) return
    this.writtenMs = clock.now()
    const text = [this.position(done, total), what].filter((part) => part !== '').join(', ')
    if (text === this.last) return
    this.last = text
    if (columns === null) this.options.write(`${text}\n`)
    else this.draw(total === null ? null : done / total, text, columns)
  }

  /** Clears the bar, so that another line can be printed. */
  clear(): void {
    if (this.isDrawn) this.options.write(CLEAR)
    this.isDrawn = false
  }

  private draw(part: number | null, text: string, columns: number): void {
    const bar = part === null ? '' : barOf(part, roomIn(columns) - text.length - BAR_FRAME)
    this.options.write(`${CLEAR}${bar}${fitting(text, columns)}`)
    this.isDrawn = true
  }

  private position(done: number, total: number | null): string {
    const { unit } = this.options
    if (total === null) return `${done} ${unit}`
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total)
    return `${percent} % (${done} of ${total} ${unit}${this.left(done, total)})`
  }

  /** The estimated time left, once there is an estimate. */
  private left(done: number, total: number): string {
    const elapsedMs = this.options.clock.now() - this.startMs
    if (done === 0 || done >= total || elapsedMs <= 0) return ''
    const seconds = Math.ceil(((elapsedMs / done) * (total - done)) / 1000)
    return seconds < 120 ? `, about ${seconds} s left` : `, about ${Math.ceil(seconds / 60)} min left`
  }
}

/** A bar of at most so many characters; none where there is no room for one. */
function barOf(part: number, room: number): string {
  const width = Math.min(BAR_WIDTH, room)
  if (width < BAR_WIDTH_MIN) return ''
  const filled = Math.floor(width * Math.min(part, 1))
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] `
}

/** A line that is wider than the terminal goes on in the next one, which nothing clears. */
function fitting(text: string, columns: number): string {
  return [...text].slice(0, roomIn(columns)).join('')
}

/** Some terminals go to the next line as soon as the last column is written, and ctrl-c shows as ^C behind what is there. */
function roomIn(columns: number): number {
  return Math.max(0, columns - 1 - '^C'.length)
}
