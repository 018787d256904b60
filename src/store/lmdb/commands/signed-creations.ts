import { SIGNED_REQUEST_KEPT_MS, type SignedCreation } from '../../../domain/idempotency.js'
import type { Commit } from '../commit/commit-loop.js'
import { timeKey } from '../tables/bytes.js'
import { NOTHING } from '../tables/tables.js'

/*
 * Signed requests that created an invoice without a reference, written in the invoices' own transactions. A row begins with
 * the end of its time, which follows from the timestamp, so it is found by the request and removed by its age.
 */

export function isRepeatedCreation({ tables }: Commit, request: SignedCreation): boolean {
  return tables.signedCreations.doesExist(rowKey(request))
}

export function rememberCreation({ tables }: Commit, request: SignedCreation): void {
  tables.signedCreations.putSync(rowKey(request), NOTHING)
}

/** Removes rows whose time is over, the oldest first and at most `limit`. Answers how many. */
export function removeExpiredCreations({ tables, nowMs }: Commit, limit: number): number {
  const expired = [...tables.signedCreations.getKeys({ start: NOTHING, end: timeKey(nowMs), limit })]
  for (const key of expired) tables.signedCreations.removeSync(key)
  return expired.length
}

function rowKey({ timestampMs, digest }: SignedCreation): Buffer {
  return Buffer.concat([timeKey(timestampMs + SIGNED_REQUEST_KEPT_MS), digest])
}
