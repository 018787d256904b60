/** Part of the threads' time that requests without priority may take while those with priority come in. */
const SHARE = 1 / 16
/** What may be saved up, for each thread. It bounds how long a request with priority waits behind others. */
const SAVED_MAX_MS = 2
/** Verifications that one is worth. */
const REFUND = 4
/** As long after the last request with priority nobody else is held back. */
const PRIORITY_LASTS_MS = 1_000
/** Weight of the newest measurement in what a verification is taken to cost. */
const NEWEST_WEIGHT = 1 / 8

/**
 * How much of the threads' time is left for requests without priority. A thread that is idle is no reason to verify for
 * strangers: the processor may be needed for the requests of others. What they take is measured, not foreseen, so the
 * account may be overdrawn by one batch, and is then paid back before the next.
 */
export class LowPriorityBudget {
  readonly #threads: number
  #savedMs: number
  #countedAt = Number.NEGATIVE_INFINITY
  #priorityAt = Number.NEGATIVE_INFINITY
  /** What a verification costs, in ms of a thread; 0 before the first one was measured. */
  #eachMs = 0

  constructor(threads: number) {
    this.#threads = threads
    this.#savedMs = SAVED_MAX_MS * threads
  }

  /** How many verifications without priority may go out now. */
  places(nowMs: number): number {
    if (!this.#isLimited(nowMs)) return Number.POSITIVE_INFINITY
    const savedMs = this.#savedAt(nowMs)
    if (savedMs <= 0) return 0
    return this.#eachMs === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(savedMs / this.#eachMs))
  }

  /** Milliseconds until at least one may go out. */
  waitMs(nowMs: number): number {
    const untilSaved = -this.#savedAt(nowMs) / (SHARE * this.#threads)
    return Math.max(0, Math.min(untilSaved, this.#priorityAt + PRIORITY_LASTS_MS - nowMs))
  }

  /** Some verifications went out. Nothing is owed for those that nobody with priority was there for. */
  spent(withPriority: number, others: number, nowMs: number): void {
    const owedMs = this.#isLimited(nowMs) ? others * this.#eachMs : 0
    this.#savedMs = this.#savedAt(nowMs) - owedMs
    this.#countedAt = nowMs
    if (withPriority > 0) this.#priorityAt = nowMs
  }

  /** One of them turned out to be worth it: it is paid for, and a few more. */
  refund(): void {
    this.#savedMs = Math.min(this.#savedMs + REFUND * this.#eachMs, SAVED_MAX_MS * this.#threads)
  }

  /** A batch of `count` kept its thread busy for so long. */
  measured(count: number, tookMs: number): void {
    const eachMs = tookMs / count
    this.#eachMs += (eachMs - this.#eachMs) * (this.#eachMs === 0 ? 1 : NEWEST_WEIGHT)
  }

  #isLimited(nowMs: number): boolean {
    return nowMs - this.#priorityAt <= PRIORITY_LASTS_MS
  }

  #savedAt(nowMs: number): number {
    if (this.#countedAt === Number.NEGATIVE_INFINITY) return this.#savedMs
    const earned = (nowMs - this.#countedAt) * SHARE * this.#threads
    return Math.min(this.#savedMs + earned, SAVED_MAX_MS * this.#threads)
  }
}
