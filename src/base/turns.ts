import { FairQueue } from './fair-queue.js'

/** How long the pieces of one turn may hold the main thread together. The last one is not interrupted. */
const TURN_MS = 2

/** Look-ups of a store that one turn may cost. Each takes some microseconds. */
const TURN_LOOKUPS = 400

/**
 * What waited for another process is followed by a rest as long as it took, and no longer than this: so much of that process's time is
 * left to others. A piece is where several wait.
 */
export const REST_MS_MAX = 50

/** What a piece may take of the main thread before others have their turn. */
export interface Slice {
  /** Notes what the piece has looked up. */
  touch(lookups: number): void
  /** Whether the piece should end here, and go on with another one. */
  readonly isOver: boolean
}

export interface TurnsOptions {
  /** Pieces that may be in progress at once, where they wait for another process. A piece that does not wait is never in progress. */
  readonly width: number
  /** Milliseconds on a clock that does not jump. */
  readonly now: () => number
  /** Calls back when other work of the event loop has had its turn. */
  readonly afterOthers: (task: () => void) => void
  /** Calls back after so many milliseconds. */
  readonly after: (ms: number, task: () => void) => void
}

/** The machine's event loop. */
export const EVENT_LOOP = {
  now: () => performance.now(),
  afterOthers: (task: () => void) => {
    setImmediate(task)
  },
  after: (ms: number, task: () => void) => {
    setTimeout(task, ms)
  },
}

/**
 * Long work in pieces. In one turn of the event loop they take a few milliseconds together, however many are asked for. Owners have
 * their pieces in turn, so what one of them asks for delays another by one piece at most.
 */
export class Turns {
  private readonly waiting = new FairQueue<() => void>()
  private turn: Turn | null = null
  private inProgress = 0

  constructor(private readonly options: TurnsOptions) {}

  /** Milliseconds on the clock that bounds the pieces. */
  elapsed(): number {
    return this.options.now()
  }

  /** Runs a piece for an owner when it is its turn: at once if nobody waits. */
  run<T>(owner: string, piece: (slice: Slice) => T | Promise<T>): T | Promise<T> {
    if (this.waiting.isEmpty && this.hasRoom()) return this.begin(piece)
    return new Promise<T>((resolve, reject) => {
      this.waiting.add(owner, () => {
        try {
          resolve(this.begin(piece))
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  private hasRoom(): boolean {
    return this.inProgress < this.options.width && !this.currentTurn().isOver
  }

  private begin<T>(piece: (slice: Slice) => T | Promise<T>): T | Promise<T> {
    const turn = this.currentTurn()
    turn.begin()
    let result: T | Promise<T>
    try {
      result = piece(turn)
    } finally {
      turn.end()
    }
    if (!(result instanceof Promise)) return result
    const waitingSince = this.options.now()
    this.inProgress += 1
    return result.finally(() => {
      const waitedMs = this.options.now() - waitingSince
      // It waited for nothing but other work of the same turn, which is mostly its own.
      if (this.turn === turn) turn.add(waitedMs)
      if (this.waiting.isEmpty) this.leave()
      else this.options.after(Math.min(waitedMs, REST_MS_MAX), () => this.leave())
    })
  }

  private leave(): void {
    this.inProgress -= 1
    this.serve()
  }

  private currentTurn(): Turn {
    if (this.turn === null) {
      this.turn = new Turn(this.options.now)
      this.options.afterOthers(() => {
        this.turn = null
        this.serve()
      })
    }
    return this.turn
  }

  private serve(): void {
    while (!this.waiting.isEmpty && this.hasRoom()) this.waiting.take()?.()
  }
}

/** A slice that is over after a time, or after so many look-ups. */
export class BoundedSlice implements Slice {
  private lookups = 0
  private readonly startedAt: number

  /** `now`: milliseconds on a clock that does not jump. */
  constructor(
    private readonly now: () => number,
    private readonly mostMs: number,
    private readonly mostLookups: number,
  ) {
    this.startedAt = now()
  }

  touch(lookups: number): void {
    this.lookups += lookups
  }

  get isOver(): boolean {
    return this.lookups >= this.mostLookups || !this.hasTimeFor(0)
  }

  /** Whether something that takes so many milliseconds would end before the slice. */
  hasTimeFor(ms: number): boolean {
    return this.now() - this.startedAt + ms < this.mostMs
  }
}

class Turn implements Slice {
  private lookups = 0
  private usedMs = 0
  private beganAt: number | null = null

  constructor(private readonly now: () => number) {}

  touch(lookups: number): void {
    this.lookups += lookups
  }

  get isOver(): boolean {
    if (this.lookups >= TURN_LOOKUPS) return true
    const running = this.beganAt === null ? 0 : this.now() - this.beganAt
    return this.usedMs + running >= TURN_MS
  }

  begin(): void {
    this.beganAt = this.now()
  }

  end(): void {
    if (this.beganAt !== null) this.add(this.now() - this.beganAt)
    this.beganAt = null
  }

  add(ms: number): void {
    this.usedMs += ms
  }
}
