import type { Clock } from '../../clock.js'

/** A node may learn what it could not do: an upgrade, another plan, another machine behind the same address. */
export const TRIED_AGAIN_AFTER_MS = 60 * 60_000
/** A failure that does not say that it is for good is believed to be after so many in a row. */
const FAILURES_MAX = 3

/** What a node has shown that it cannot do. It outlasts checks of the node, and each thing is tried again after an hour. */
export class Shortcomings<What extends string> {
  private readonly notedMs = new Map<What, number>()
  private readonly inRow = new Map<What, number>()

  constructor(private readonly clock: Clock) {}

  has(what: What): boolean {
    const notedMs = this.notedMs.get(what)
    if (notedMs === undefined) return false
    const sinceMs = this.clock.now() - notedMs
    // A clock that was set back ends it too.
    if (sinceMs >= 0 && sinceMs < TRIED_AGAIN_AFTER_MS) return true
    this.notedMs.delete(what)
    return false
  }

  /** The node has said that it cannot, or shown it beyond doubt. */
  note(what: What): void {
    this.notedMs.set(what, this.clock.now())
    this.inRow.delete(what)
  }

  /** It failed where another way succeeded. */
  failed(what: What): void {
    const failures = (this.inRow.get(what) ?? 0) + 1
    this.inRow.set(what, failures)
    if (failures >= FAILURES_MAX) this.note(what)
  }

  succeeded(what: What): void {
    this.inRow.delete(what)
    this.notedMs.delete(what)
  }
}
