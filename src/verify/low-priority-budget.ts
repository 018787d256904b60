/** Part of the threads' time that low-priority requests may take while priority requests come in. */
const SHARE = 1 / 16
/** Time that may be saved, for each thread. It bounds how long a priority request waits behind others. */
const SAVED_MAX_MS = 2
/** Verifications that one valid signature of a suspect pays for. */
const REFUND = 4
/** Low-priority work is throttled until this long after the last priority request. */
const PRIORITY_LASTS_MS = 1_000
/** Weight of the newest measurement in the average cost of a verification. */
const NEWEST_WEIGHT = 1 / 8

/**
 * A token bucket of thread time for low-priority requests. Idle threads are not free: other work may need the processor. The
 * cost of a batch is measured afterwards, so the bucket may be overdrawn by one batch, and refills before the next.
 */
export class LowPriorityBudget {
  private savedMs: number
  private countedAt = Number.NEGATIVE_INFINITY
  private priorityAt = Number.NEGATIVE_INFINITY
  /** The average cost of a verification, in ms of a thread; 0 before the first was measured. */
  private eachMs = 0

  constructor(private readonly threads: number) {
    this.savedMs = SAVED_MAX_MS * threads
  }

  /** How many low-priority verifications may go out now. */
  places(nowMs: number): number {
    if (!this.isLimited(nowMs)) return Number.POSITIVE_INFINITY
    const savedMs = this.savedAt(nowMs)
    if (savedMs <= 0) return 0
    return this.eachMs === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(savedMs / this.eachMs))
  }

  /** Milliseconds until at least one may go out. */
  waitMs(nowMs: number): number {
    const untilSaved = -this.savedAt(nowMs) / (SHARE * this.threads)
    return Math.max(0, Math.min(untilSaved, this.priorityAt + PRIORITY_LASTS_MS - nowMs))
  }

  /** Verifications went out. Low-priority ones are charged only while priority requests come in. */
  spent(withPriority: number, others: number, nowMs: number): void {
    const owedMs = this.isLimited(nowMs) ? others * this.eachMs : 0
    this.savedMs = this.savedAt(nowMs) - owedMs
    this.countedAt = nowMs
    if (withPriority > 0) this.priorityAt = nowMs
  }

  /** A suspect's signature was valid: it is paid back, and a few more. */
  refund(): void {
    this.savedMs = Math.min(this.savedMs + REFUND * this.eachMs, SAVED_MAX_MS * this.threads)
  }

  /** A batch of `count` kept its thread busy for so long. */
  measured(count: number, tookMs: number): void {
    const eachMs = tookMs / count
    this.eachMs += (eachMs - this.eachMs) * (this.eachMs === 0 ? 1 : NEWEST_WEIGHT)
  }

  private isLimited(nowMs: number): boolean {
    return nowMs - this.priorityAt <= PRIORITY_LASTS_MS
  }

  private savedAt(nowMs: number): number {
    if (this.countedAt === Number.NEGATIVE_INFINITY) return this.savedMs
    const earned = (nowMs - this.countedAt) * SHARE * this.threads
    return Math.min(this.savedMs + earned, SAVED_MAX_MS * this.threads)
  }
}
