/** The most units of work in one transaction. */
export const COMMIT_BATCH_MAX = 256

/**
 * Units that may wait because a client asked for them: registrations, claims, settings, pushed facts. Units that were
 * admitted elsewhere do not count: their callers bound them, and many of them must not crowd out clients.
 */
export const REQUESTED_UNITS_MAX = 8192

interface Unit {
  /** Whether it counts in `REQUESTED_UNITS_MAX`. */
  readonly isRequested: boolean
  /** The same for units that were added together, and run in order. */
  readonly call: unknown
}

/**
 * Units of work that wait for a transaction, in order. When a call has used up the time of a transaction, the rest of its units come
 * behind those of other calls, so much work on one wallet delays that of others by one transaction only.
 */
export class WaitingUnits<T extends Unit> {
  private units: T[] = []
  private requestedCount = 0
  /** The call that used up the time of the last transaction, and has more units; null when there is none. */
  private resting: unknown = null

  get isEmpty(): boolean {
    return this.units.length === 0
  }

  /** Whether so many more requested units may wait. */
  hasRoom(count: number): boolean {
    return this.requestedCount + count <= REQUESTED_UNITS_MAX
  }

  add(units: readonly T[]): void {
    for (const unit of units) this.units.push(unit)
    this.requestedCount += requestedAmong(units)
  }

  /** The units of the next transaction. */
  take(): readonly T[] {
    const { resting } = this
    this.resting = null
    const others = resting === null ? [] : this.units.filter(({ call }) => call !== resting)
    const isAlone = others.length === 0
    const ready = isAlone ? this.units : others
    const rest = isAlone ? [] : this.units.filter(({ call }) => call === resting)
    const batch = ready.slice(0, COMMIT_BATCH_MAX)
    this.units = [...ready.slice(batch.length), ...rest]
    this.requestedCount -= requestedAmong(batch)
    return batch
  }

  /**
   * Puts back the units of a transaction for which there was no time. They come before what waits, except those of the same call as
   * `last`, the unit that ran last: these come behind everything.
   */
  putBack(units: readonly T[], last: T): void {
    if (units.length === 0) return
    const all = [...units, ...this.units]
    const isOfLast = ({ call }: T) => call === last.call
    const rest = all.filter(isOfLast)
    this.units = [...all.filter((unit) => !isOfLast(unit)), ...rest]
    if (rest.length > 0) this.resting = last.call
    this.requestedCount += requestedAmong(units)
  }
}

function requestedAmong(units: readonly Unit[]): number {
  let count = 0
  for (const { isRequested } of units) if (isRequested) count += 1
  return count
}
