import { IDEMPOTENCY_KEPT_MS, type IdempotentRequest } from '../../../domain/idempotency.js'
import type { Commit, Reader } from '../commit/commit-loop.js'
import { timeKey, WIDE_BYTES } from '../tables/bytes.js'
import { type InvoiceId, idOfKey } from '../tables/names.js'
import { NOTHING } from '../tables/tables.js'

/*
 * The idempotency keys of invoices that were created, written in the invoices' own transactions (decisions 4).
 */

const SCOPE_BYTES = 32
const HASH_BYTES = 32
/** Expired entries removed with each new one: more than one, so that they never gather. */
const REMOVED_AT_ONCE = 2

/** An earlier request under the same key. */
export type EarlierRequest =
  | { readonly isSameBody: true; readonly invoiceId: InvoiceId }
  | { readonly isSameBody: false }

/** The request that created an invoice under the same key, if the key has not expired. */
export function findEarlier({ tables, nowMs }: Reader, request: IdempotentRequest): EarlierRequest | undefined {
  const entry = tables.idempotencyKeys.get(Buffer.from(request.scope))
  if (entry === undefined || entry.readUIntBE(0, WIDE_BYTES) <= nowMs) return undefined
  const hash = entry.subarray(WIDE_BYTES, WIDE_BYTES + HASH_BYTES)
  if (!hash.equals(request.bodyHash)) return { isSameBody: false }
  return { isSameBody: true, invoiceId: idOfKey<InvoiceId>(entry) }
}

export function rememberRequest(commit: Commit, request: IdempotentRequest, invoiceId: Buffer): void {
  removeExpiredKeys(commit, REMOVED_AT_ONCE)
  const { idempotencyKeys, idempotencyExpiries } = commit.tables
  const scope = Buffer.from(request.scope)
  const expiresAt = timeKey(commit.nowMs + IDEMPOTENCY_KEPT_MS)
  const earlier = idempotencyKeys.get(scope)
  if (earlier !== undefined) removeKey(commit, earlier.subarray(0, WIDE_BYTES), scope)
  idempotencyKeys.putSync(scope, Buffer.concat([expiresAt, request.bodyHash, invoiceId]))
  idempotencyExpiries.putSync(Buffer.concat([expiresAt, scope]), NOTHING)
}

/** Removes keys that have expired, the oldest first and at most `limit`. Answers how many. */
export function removeExpiredKeys(commit: Commit, limit: number): number {
  const range = { start: NOTHING, end: timeKey(commit.nowMs), limit }
  const expired = [...commit.tables.idempotencyExpiries.getKeys(range)]
  for (const key of expired) {
    removeKey(commit, key.subarray(0, WIDE_BYTES), Buffer.from(key.subarray(WIDE_BYTES, WIDE_BYTES + SCOPE_BYTES)))
  }
  return expired.length
}

function removeKey({ tables }: Commit, expiresAt: Buffer, scope: Buffer): void {
  tables.idempotencyExpiries.removeSync(Buffer.concat([expiresAt, scope]))
  tables.idempotencyKeys.removeSync(scope)
}
