import { IDEMPOTENCY_KEPT_MS, type IdempotentRequest } from '../../domain/idempotency.js'
import { timeKey, WIDE_BYTES } from './bytes.js'
import { NOTHING, type Tables } from './tables.js'

const SCOPE_BYTES = 32
const HASH_BYTES = 32
/** Expired entries removed with each new one: more than one, so that they never gather. */
const REMOVED_AT_ONCE = 2

/** What is known of a repeated request. */
export type EarlierRequest = { readonly isSameBody: true; readonly invoiceId: Buffer } | { readonly isSameBody: false }

/** The idempotency keys of invoices that were created, written in the invoices' own transactions (decisions 4). */
export class IdempotencyKeys {
  constructor(private readonly tables: Tables) {}

  /** What was created under the same key, if it has not expired. */
  find(request: IdempotentRequest, nowMs: number): EarlierRequest | undefined {
    const entry = this.tables.idempotencyKeys.get(Buffer.from(request.scope))
    if (entry === undefined || entry.readUIntBE(0, WIDE_BYTES) <= nowMs) return undefined
    const hash = entry.subarray(WIDE_BYTES, WIDE_BYTES + HASH_BYTES)
    if (!hash.equals(request.bodyHash)) return { isSameBody: false }
    return { isSameBody: true, invoiceId: Buffer.from(entry.subarray(WIDE_BYTES + HASH_BYTES)) }
  }

  remember(request: IdempotentRequest, invoiceId: Buffer, nowMs: number): void {
    this.removeExpired(nowMs, REMOVED_AT_ONCE)
    const scope = Buffer.from(request.scope)
    const expiresAt = Buffer.allocUnsafe(WIDE_BYTES)
    expiresAt.writeUIntBE(nowMs + IDEMPOTENCY_KEPT_MS, 0, WIDE_BYTES)
    const earlier = this.tables.idempotencyKeys.get(scope)
    if (earlier !== undefined) this.remove(earlier.subarray(0, WIDE_BYTES), scope)
    this.tables.idempotencyKeys.putSync(scope, Buffer.concat([expiresAt, request.bodyHash, invoiceId]))
    this.tables.idempotencyExpiries.putSync(Buffer.concat([expiresAt, scope]), NOTHING)
  }

  /** Removes keys that have expired, the oldest first and at most `limit`. Answers how many. */
  removeExpired(nowMs: number, limit: number): number {
    const range = { start: NOTHING, end: timeKey(nowMs), limit }
    const expired = [...this.tables.idempotencyExpiries.getKeys(range)]
    for (const key of expired) {
      this.remove(key.subarray(0, WIDE_BYTES), Buffer.from(key.subarray(WIDE_BYTES, WIDE_BYTES + SCOPE_BYTES)))
    }
    return expired.length
  }

  private remove(expiresAt: Buffer, scope: Buffer): void {
    this.tables.idempotencyExpiries.removeSync(Buffer.concat([expiresAt, scope]))
    this.tables.idempotencyKeys.removeSync(scope)
  }
}
