import { SIGNED_REQUEST_KEPT_MS, type SignedCreation } from '../../domain/idempotency.js'
import { timeKey } from './bytes.js'
import { NOTHING, type Tables } from './tables.js'

/**
 * Signed requests that created an invoice without a reference, written in the invoices' own transactions. A row begins with
 * the end of its time, which follows from the timestamp, so it is found by the request and removed by its age.
 */
export class SignedCreations {
  constructor(private readonly tables: Tables) {}

  has(request: SignedCreation): boolean {
    return this.tables.signedCreations.doesExist(rowKey(request))
  }

  remember(request: SignedCreation): void {
    this.tables.signedCreations.putSync(rowKey(request), NOTHING)
  }

  /** Removes rows whose time is over, the oldest first and at most `limit`. Answers how many. */
  removeExpired(nowMs: number, limit: number): number {
    const expired = [...this.tables.signedCreations.getKeys({ start: NOTHING, end: timeKey(nowMs), limit })]
    for (const key of expired) this.tables.signedCreations.removeSync(key)
    return expired.length
  }
}

function rowKey({ timestampMs, digest }: SignedCreation): Buffer {
  return Buffer.concat([timeKey(timestampMs + SIGNED_REQUEST_KEPT_MS), digest])
}
