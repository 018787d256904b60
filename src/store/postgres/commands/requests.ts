import {
  IDEMPOTENCY_KEPT_MS,
  type IdempotentRequest,
  SIGNED_REQUEST_KEPT_MS,
  type SignedCreation,
} from '../../../domain/idempotency.js'
import type { Invoice } from '../../../domain/invoice.js'
import type { CreatedOrder } from '../../commands.js'
import type { EarlierRequest } from '../../rules/create-invoice.js'
import type { EarlierOrder } from '../../rules/create-order.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { type InvoiceColumns, STORED_COLUMNS, type StoredColumns, toInvoice } from '../invoices/invoice-rows.js'
import { ORDER_COLUMNS, type OrderColumns, toOrder } from '../orders/order-rows.js'

/*
 * What prevents a second creation, written in the transaction of the first: idempotency keys (decisions 4), and signed
 * requests without a reference.
 */

/** A request that created an invoice under an idempotency key. */
export interface KnownRequest {
  /** Hex. */
  readonly bodyHash: string
  readonly invoice: Invoice
  /** Unix ms; null for never. */
  readonly expiresAt: number | null
  /** The order that it created, of which the invoice is the first one. */
  readonly created: CreatedOrder | null
}

type Columns = InvoiceColumns & { readonly scope: string; readonly body_hash: string; readonly until: number }

/** The requests that created invoices under the same keys, by scope in hex, if the keys have not expired. */
export async function knownRequests(work: Work, scopes: readonly Uint8Array[]): Promise<Map<string, KnownRequest>> {
  if (scopes.length === 0) return new Map()
  const rows = await work.rows<Columns>(sql`
    SELECT encode(k.scope, 'hex') AS scope, encode(k.body_hash, 'hex') AS body_hash, k.expires_at AS until, ${STORED_COLUMNS}
    FROM idempotency_keys AS k JOIN invoices AS i ON i.id = k.invoice_id WHERE k.scope = ANY(${scopes}::bytea[])`)
  const nowMs = await work.readClock()
  const valid = rows.filter(({ until }) => until > nowMs)
  const orders = await createdOrders(
    work,
    valid.flatMap(({ order_id }) => order_id ?? []),
  )
  return new Map(
    valid.map((row) => {
      const created = row.order_id === null ? null : (orders.get(row.order_id) ?? null)
      return [row.scope, { bodyHash: row.body_hash, invoice: toInvoice(row), expiresAt: row.expires_at, created }]
    }),
  )
}

/** Orders with their invoices, by id. */
async function createdOrders(work: Work, ids: readonly string[]): Promise<ReadonlyMap<string, CreatedOrder>> {
  if (ids.length === 0) return new Map()
  const [orders, invoices] = await Promise.all([
    work.rows<OrderColumns>(sql`SELECT ${ORDER_COLUMNS} FROM orders AS o WHERE o.id = ANY(${ids}::uuid[])`),
    work.rows<StoredColumns>(sql`SELECT ${STORED_COLUMNS} FROM invoices AS i WHERE i.order_id = ANY(${ids}::uuid[])`),
  ])
  const byId = new Map(invoices.map((row) => [row.id, toInvoice(row)]))
  return new Map(
    orders.map(toOrder).map((order) => {
      const own = order.options.flatMap(({ invoiceId }) => byId.get(invoiceId) ?? [])
      return [order.id, { order, invoices: own }]
    }),
  )
}

/** What is known under the key of a request for an order. */
export function earlierOrderOf(
  known: ReadonlyMap<string, KnownRequest>,
  request: IdempotentRequest,
): EarlierOrder | undefined {
  const earlier = known.get(hex(request.scope))
  if (earlier === undefined) return undefined
  if (earlier.bodyHash !== hex(request.bodyHash)) return { isSameBody: false }
  if (earlier.created === null) throw new Error('an order was created without its invoices')
  return { isSameBody: true, created: earlier.created }
}

/** What is known under the key of a request. */
export function earlierOf(
  known: ReadonlyMap<string, KnownRequest>,
  request: IdempotentRequest,
): EarlierRequest | undefined {
  const earlier = known.get(hex(request.scope))
  if (earlier === undefined) return undefined
  const { bodyHash, invoice, expiresAt } = earlier
  return bodyHash === hex(request.bodyHash) ? { isSameBody: true, invoice, expiresAt } : { isSameBody: false }
}

/** The digests in hex of the signed requests that have created already. */
export async function repeatedCreations(work: Work, digests: readonly Uint8Array[]): Promise<Set<string>> {
  if (digests.length === 0) return new Set()
  const rows = await work.rows<{ digest: string }>(
    sql`SELECT encode(digest, 'hex') AS digest FROM signed_creations WHERE digest = ANY(${digests}::bytea[])`,
  )
  return new Set(rows.map(({ digest }) => digest))
}

/** Remembers the requests that have created an invoice. An expired key is given its new request. */
export function rememberRequests(
  work: Work,
  made: readonly { readonly request: IdempotentRequest; readonly invoiceId: string }[],
): void {
  if (made.length === 0) return
  const sorted = [...made].sort((a, b) => Buffer.compare(a.request.scope, b.request.scope))
  const expiresAt = work.nowMs + IDEMPOTENCY_KEPT_MS
  work.write(sql`DELETE FROM idempotency_keys
    WHERE scope = ANY(${sorted.map(({ request }) => request.scope)}::bytea[]) AND expires_at <= ${work.nowMs}::bigint`)
  work.write(sql`
    INSERT INTO idempotency_keys (scope, expires_at, body_hash, invoice_id)
    SELECT scope, ${expiresAt}::bigint, body_hash, invoice_id FROM unnest(
      ${sorted.map(({ request }) => request.scope)}::bytea[], ${sorted.map(({ request }) => request.bodyHash)}::bytea[],
      ${sorted.map(({ invoiceId }) => invoiceId)}::uuid[]
    ) AS made (scope, body_hash, invoice_id)`)
}

export function rememberCreations(work: Work, creations: readonly SignedCreation[]): void {
  if (creations.length === 0) return
  const sorted = [...creations].sort((a, b) => Buffer.compare(a.digest, b.digest))
  work.write(sql`
    INSERT INTO signed_creations (digest, expires_at)
    SELECT * FROM unnest(${sorted.map(({ digest }) => digest)}::bytea[],
      ${sorted.map(({ timestampMs }) => timestampMs + SIGNED_REQUEST_KEPT_MS)}::bigint[])`)
}

/** Removes keys and signed requests whose time is over, at most `limit`, and answers how many. */
export async function removeExpired(work: Work, limit: number): Promise<number> {
  const nowMs = await work.readClock()
  const most = sql`LIMIT ${limit}::bigint`
  const keys = await work.wrote(sql`
    DELETE FROM idempotency_keys WHERE scope IN (
      SELECT scope FROM idempotency_keys WHERE expires_at <= ${nowMs}::bigint ORDER BY expires_at ${most})`)
  if (keys >= limit) return keys
  const creations = await work.wrote(sql`
    DELETE FROM signed_creations WHERE digest IN (
      SELECT digest FROM signed_creations WHERE expires_at < ${nowMs}::bigint ORDER BY expires_at LIMIT ${limit - keys}::bigint)`)
  return keys + creations
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
