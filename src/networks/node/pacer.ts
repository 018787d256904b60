import type { Clock } from '../../clock.js'
import type { Cancel, Scheduler } from '../../scheduler.js'
import { HttpFailure, limitOf, mayBeOfOneMachine, NodeFailure, RateLimited, RefusedAgain } from './answer.js'
import { type BegunCall, Pace, SLOW_CALLS_PER_SECOND } from './pace.js'

/** What calls are made for, the most urgent first. */
const URGENCIES = ['head', 'confirmed', 'unconfirmed', 'check'] as const
export type Urgency = (typeof URGENCIES)[number]

/** How long calls wait for their turn at the only node of a network. Longer than the longest pause that a node can ask for. */
export const PATIENCE_MS = 6 * 60_000
/** Calls that wait for their turn at one node. One query makes a few at a time. */
const WAITING_MAX = 256
/** A node that is left alone for longer is as good as slow. */
const SHORT_PAUSE_MS = 5000

/** A call that has failed sooner is made once more. */
const SOON_MS = 2000

/** What a query is for, and how long each of its calls may wait. */
export interface Purpose {
  readonly urgency: Urgency
  readonly patienceMs: number
  /** Called when a call of it begins to wait after a refusal. */
  readonly onRefusal?: () => void
}

/** A turn that was waited for. */
interface Turn {
  readonly call: BegunCall
  readonly hasWaited: boolean
}

interface Waiting {
  readonly end: (turn: Turn | null) => void
  readonly sinceMs: number
  readonly patienceMs: number
}

export interface PacerOptions {
  readonly clock: Clock
  readonly scheduler: Scheduler
}

/**
 * Makes the calls to one node, as often as the node allows. A call that is refused for its rate is made again in its turn:
 * what a query has read so far is kept. While no limit is known, nothing waits.
 */
export class Pacer {
  /** Calls that the node refused because of a limit of its rate. */
  refusals = 0
  /** Called when a limit becomes known, with the words of the node. */
  onLimit: (words: string) => void = () => {}
  private readonly pace = new Pace()
  private readonly underWay = new Set<Purpose>()
  private readonly queues = new Map<Urgency, Waiting[]>(URGENCIES.map((urgency) => [urgency, []]))
  private cancelTimer: Cancel | null = null
  private isClosed = false

  constructor(private readonly options: PacerOptions) {}

  /** Calls a second; infinite while no limit is known. */
  get callsPerSecond(): number {
    return this.pace.callsPerSecond(this.now())
  }

  /** Whether reading through this node is slowed down by its limit. */
  get isSlow(): boolean {
    return this.callsPerSecond < SLOW_CALLS_PER_SECOND || this.pace.pauseMs(this.now()) > SHORT_PAUSE_MS
  }

  /**
   * Does a work whose calls are for a purpose. Works at one node seldom overlap; the calls of those that do are all as
   * urgent as the most urgent work.
   */
  async during<T>(purpose: Purpose, work: () => Promise<T>): Promise<T> {
    this.underWay.add(purpose)
    try {
      return await work()
    } finally {
      this.underWay.delete(purpose)
    }
  }

  /**
   * Makes a call in its turn. When the node refuses it for its rate it is made again, unless it is better made in parts.
   * Rejects with the refusal, or with `RateLimited`, when the purpose has not the patience to wait for the next turn. After
   * so many refusals as `refusalsMax` it rejects with `RefusedAgain`. A call that fails otherwise is made a second time where
   * another machine behind the same address may answer it: else a query of as many calls as there are machines would fail
   * each time when one of them is down.
   */
  async call<T>(make: () => Promise<T>, isDivisible = false, refusalsMax = Number.POSITIVE_INFINITY): Promise<T> {
    const purpose = this.purpose()
    const sinceMs = this.now()
    let failure: unknown = null
    let refusals = 0
    let hasFailed = false
    for (;;) {
      const turn = await this.turn(purpose, sinceMs, failure !== null)
      if (turn === null) throw failure ?? new RateLimited('the limit of its rate leaves no turn in time')
      const beganMs = this.now()
      try {
        const answer = await make()
        this.pace.served(turn.call, turn.hasWaited, this.now())
        return answer
      } catch (error) {
        const isRefusal = this.noteFailure(error, turn, isDivisible)
        if (isDivisible) throw error
        failure = error
        if (isRefusal) {
          refusals += 1
          if (refusals >= refusalsMax) throw new RefusedAgain(error instanceof Error ? error.message : '')
          purpose.onRefusal?.()
          continue
        }
        const isSoon = Math.abs(this.now() - beganMs) < SOON_MS
        if (hasFailed || !isSoon || !mayBeOfOneMachine(error)) throw error
        hasFailed = true
      }
    }
  }

  /** Ends the waiting of all calls: they reject, as do those that would have to wait from now on. */
  close(): void {
    this.isClosed = true
    this.cancelTimer?.()
    for (const queue of this.queues.values()) for (const { end } of queue.splice(0)) end(null)
  }

  private purpose(): Purpose {
    const [most] = [...this.underWay].sort((a, b) => URGENCIES.indexOf(a.urgency) - URGENCIES.indexOf(b.urgency))
    return most ?? { urgency: 'check', patienceMs: PATIENCE_MS }
  }

  /** Returns whether the call was refused for its rate. */
  private noteFailure(error: unknown, { call, hasWaited }: Turn, isDivisible: boolean): boolean {
    const askedMs = limitOf(error)
    if (askedMs === null) {
      // An error of the node's own protocol is an answer, too.
      const isAnswer = error instanceof NodeFailure && !(error instanceof HttpFailure)
      if (isAnswer) this.pace.served(call, hasWaited, this.now())
      return false
    }
    const wasLimited = Number.isFinite(this.callsPerSecond)
    this.refusals += 1
    this.pace.refused(call, askedMs, this.now(), isDivisible)
    if (!wasLimited && Number.isFinite(this.callsPerSecond)) this.onLimit(error instanceof Error ? error.message : '')
    this.arm()
    return true
  }

  /** Null when it does not come in time. */
  private turn({ urgency, patienceMs }: Purpose, sinceMs: number, isAgain: boolean): Promise<Turn | null> {
    const nowMs = this.now()
    const waitMs = this.pace.waitMs(nowMs)
    const ahead = this.waitingUpTo(urgency)
    if (waitMs === 0 && ahead === 0) return Promise.resolve({ call: this.pace.begun(nowMs), hasWaited: false })
    const queueMs = (ahead * 1000) / this.callsPerSecond
    const isTooLong = Math.abs(nowMs - sinceMs) + waitMs + queueMs > patienceMs
    if (isTooLong || this.isClosed || this.waitingUpTo('check') >= WAITING_MAX) return Promise.resolve(null)
    return new Promise((end) => {
      const queue = this.queues.get(urgency)
      // A call that had its turn goes on before those that have not begun.
      if (isAgain) queue?.unshift({ end, sinceMs, patienceMs })
      else queue?.push({ end, sinceMs, patienceMs })
      this.arm()
    })
  }

  /** Calls that wait, as urgent as this or more. */
  private waitingUpTo(urgency: Urgency): number {
    let count = 0
    for (const [each, queue] of this.queues) {
      count += queue.length
      if (each === urgency) break
    }
    return count
  }

  private arm(): void {
    this.cancelTimer?.()
    this.cancelTimer = null
    if (this.isClosed || this.waitingUpTo('check') === 0) return
    this.cancelTimer = this.options.scheduler.after(Math.ceil(this.pace.waitMs(this.now())), () => this.serve())
  }

  /** The timer has counted the time, whatever the clock shows: at least one call has its turn. */
  private serve(): void {
    do {
      const next = this.next()
      if (next === undefined) break
      next.end({ call: this.pace.begun(this.now()), hasWaited: true })
    } while (this.pace.waitMs(this.now()) === 0)
    this.arm()
  }

  /** The most urgent call that waits; those that have waited for too long are told so. */
  private next(): Waiting | undefined {
    for (const queue of this.queues.values()) {
      for (let waiting = queue.shift(); waiting !== undefined; waiting = queue.shift()) {
        if (Math.abs(this.now() - waiting.sinceMs) <= waiting.patienceMs) return waiting
        waiting.end(null)
      }
    }
    return undefined
  }

  private now(): number {
    return this.options.clock.now()
  }
}
