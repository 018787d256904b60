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
}

/** Units of work that wait for a transaction, in order. */
export class WaitingUnits<T extends Unit> {
  private units: T[] = []
  private requestedCount = 0

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
    const batch = this.units.slice(0, COMMIT_BATCH_MAX)
    this.units = this.units.slice(batch.length)
    this.requestedCount -= requestedAmong(batch)
    return batch
  }

  /** Puts units that were taken in front of the others. */
  putBack(units: readonly T[]): void {
    if (units.length === 0) return
    this.units = [...units, ...this.units]
    this.requestedCount += requestedAmong(units)
  }
}

function requestedAmong(units: readonly Unit[]): number {
  let count = 0
  for (const { isRequested } of units) if (isRequested) count += 1
  return count
}
