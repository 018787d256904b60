import type { Clock } from '../../clock.js'

/**
 * A node may learn what it could not do: an upgrade, another plan, another machine behind the same address. Soon after it was
 * found out the node is asked again, since it may have been for a moment only; in the end once an hour.
 */
export const TRIED_AGAIN_FIRST_MS = 60_000
export const TRIED_AGAIN_MAX_MS = 60 * 60_000
/** What took too long once may be quick again soon, but waiting for it delays everything behind it. */
export const SLOW_TRIED_AGAIN_MS = 5 * 60_000
/** A failure that does not say that it is for good is believed to be after so many in a row. */
const FAILURES_MAX = 3

/** What a node has shown that it cannot do. It outlasts checks of the node, and each thing is tried again ever more seldom. */
export class Shortcomings<What extends string> {
  private readonly noted = new Map<What, { readonly atMs: number; readonly forMs: number }>()
  /** For how long each was last noted, since it last succeeded. */
  private readonly lastMs = new Map<What, number>()
  private readonly inRow = new Map<What, number>()

  constructor(
    private readonly clock: Clock,
    /** The most things that are remembered; the oldest ones are forgotten. */
    private readonly max = Number.POSITIVE_INFINITY,
  ) {}

  has(what: What): boolean {
    const noted = this.noted.get(what)
    if (noted === undefined) return false
    const sinceMs = this.clock.now() - noted.atMs
    // A clock that was set back ends it too.
    if (sinceMs >= 0 && sinceMs < noted.forMs) return true
    this.noted.delete(what)
    return false
  }

  /** The node has said that it cannot, or shown it beyond doubt. */
  note(what: What, leastMs = TRIED_AGAIN_FIRST_MS): void {
    if (this.has(what)) return
    const forMs = Math.max(leastMs, Math.min(TRIED_AGAIN_MAX_MS, 2 * (this.lastMs.get(what) ?? 0)))
    this.lastMs.delete(what)
    this.lastMs.set(what, forMs)
    this.noted.set(what, { atMs: this.clock.now(), forMs })
    this.inRow.delete(what)
    const [oldest] = this.lastMs.keys()
    if (oldest !== undefined && this.lastMs.size > this.max) this.succeeded(oldest)
  }

  /** It failed where another way succeeded. */
  failed(what: What): void {
    const failures = (this.inRow.get(what) ?? 0) + 1
    this.inRow.set(what, failures)
    if (failures >= FAILURES_MAX) this.note(what)
  }

  succeeded(what: What): void {
    this.inRow.delete(what)
    this.noted.delete(what)
    this.lastMs.delete(what)
  }
}
