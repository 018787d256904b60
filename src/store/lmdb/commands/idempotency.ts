import {
  IDEMPOTENCY_KEPT_MS,
  type IdempotentRequest,
  SIGNED_REQUEST_KEPT_MS,
  type SignedCreation,
} from '../../../domain/idempotency.js'
import type { EarlierRequest } from '../../rules/create-invoice.js'
import type { Commit, Reader } from '../commit/commit.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import { type InvoiceId, idOfKey, timeKey, WIDE_BYTES } from '../tables/keys.js'
import { NOTHING, removeKeys } from '../tables/tables.js'

/*
 * What prevents a second creation, written in the transaction of the first: idempotency keys (decisions 4), and signed
 * requests without a reference. The key of a signed request begins with the end of its time, which follows from the
 * timestamp, so it is found by the request and removed by its age.
 */

const SCOPE_BYTES = 32
const HASH_BYTES = 32
/** Expired entries removed with each new one: more than one, so that they never gather. */
const REMOVED_AT_ONCE = 2

/** The request that created an invoice under the same key, if the key has not expired. */
export function findEarlier(at: Reader, request: IdempotentRequest): EarlierRequest | undefined {
  const { tables, nowMs } = at
  const entry = tables.idempotencyKeys.get(Buffer.from(request.scope))
  if (entry === undefined || entry.readUIntBE(0, WIDE_BYTES) <= nowMs) return undefined
  const hash = entry.subarray(WIDE_BYTES, WIDE_BYTES + HASH_BYTES)
  if (!hash.equals(request.bodyHash)) return { isSameBody: false }
  const { invoice, expiresAt } = invoiceRow(at, idOfKey<InvoiceId>(entry))
  return { isSameBody: true, invoice, expiresAt }
}

export function rememberRequest(commit: Commit, request: IdempotentRequest, invoiceId: Buffer): void {
  removeExpiredKeys(commit, REMOVED_AT_ONCE)
  const { idempotencyKeys, idempotencyExpiries } = commit.tables
  const scope = Buffer.from(request.scope)
  const expiresAt = timeKey(commit.nowMs + IDEMPOTENCY_KEPT_MS)
  const earlier = idempotencyKeys.get(scope)
  if (earlier !== undefined) idempotencyExpiries.removeSync(Buffer.concat([earlier.subarray(0, WIDE_BYTES), scope]))
  idempotencyKeys.putSync(scope, Buffer.concat([expiresAt, request.bodyHash, invoiceId]))
  idempotencyExpiries.putSync(Buffer.concat([expiresAt, scope]), NOTHING)
}

export function isRepeatedCreation({ tables }: Commit, request: SignedCreation): boolean {
  return tables.signedCreations.doesExist(creationKey(request))
}

export function rememberCreation({ tables }: Commit, request: SignedCreation): void {
  tables.signedCreations.putSync(creationKey(request), NOTHING)
}

/** Removes keys and signed requests whose time is over, at most `limit`. Answers how many. */
export function removeExpiredRequests(commit: Commit, limit: number): number {
  const keys = removeExpiredKeys(commit, limit)
  if (keys === limit) return keys
  const expired = { start: NOTHING, end: timeKey(commit.nowMs), limit: limit - keys }
  return keys + removeKeys(commit.tables.signedCreations, expired).length
}

/** Removes keys that have expired, the oldest first and at most `limit`. Answers how many. */
function removeExpiredKeys({ tables, nowMs }: Commit, limit: number): number {
  const expired = removeKeys(tables.idempotencyExpiries, { start: NOTHING, end: timeKey(nowMs), limit })
  for (const key of expired) {
    tables.idempotencyKeys.removeSync(Buffer.from(key.subarray(WIDE_BYTES, WIDE_BYTES + SCOPE_BYTES)))
  }
  return expired.length
}

function creationKey({ timestampMs, digest }: SignedCreation): Buffer {
  return Buffer.concat([timeKey(timestampMs + SIGNED_REQUEST_KEPT_MS), digest])
}
