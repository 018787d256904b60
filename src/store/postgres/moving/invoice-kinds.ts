import { parseInvoiceAmount } from '../../../domain/amount.js'
import { walletsOf } from '../../../domain/invoice.js'
import type { MovedInvoice } from '../../moving/records.js'
import { callbackOf } from '../../rules/callbacks.js'
import { sql } from '../connection/sql.js'
import {
  insertInvoices,
  type NewInvoice,
  STATE,
  STORED_COLUMNS,
  type StoredColumns,
  toInvoice,
} from '../invoices/invoice-rows.js'
import { toOrder } from '../invoices/order-columns.js'
import { enterOpen, enterVoid } from '../invoices/places.js'
import { behindPlace, insertInto, type PostgresMovedKind } from './moved-kind.js'

const NAMES = {
  [STATE.open]: 'open',
  [STATE.paid]: 'paid',
  [STATE.void]: 'void',
  [STATE.accepted]: 'accepted',
} as const

export const invoices: PostgresMovedKind<'invoices', StoredColumns> = {
  select: (behind) => sql`SELECT ${STORED_COLUMNS} FROM invoices AS i ${behindPlace([sql`i.id`], ['uuid'], behind)}`,
  toRecord: (row) => {
    const invoice = toInvoice(row)
    const record: MovedInvoice = {
      storeId: row.id,
      // An imported one may say that it names no wallets, and not every engine knows that from saying nothing.
      invoice: invoice.wallet_ids === '' ? { ...invoice, wallet_ids: null } : invoice,
      order: toOrder(row),
      expiresAt: row.expires_at,
      voidedAt: row.voided_at,
      acceptedAt: row.accepted_at,
      hasOutlivedExpiry: row.has_outlived_expiry,
      state: NAMES[row.state],
      matches: row.matches,
      orderId: row.order_id,
    }
    return { record, place: [row.id] }
  },
  write(work, records) {
    const rows = records.map(toRow)
    work.write(insertInvoices(rows))
    const matched = records.filter(({ matches }) => matches > 0)
    work.write(sql`
      UPDATE invoices AS i SET matches = m.matches
      FROM unnest(${matched.map(({ storeId }) => storeId)}::uuid[], ${matched.map(({ matches }) => matches)}::integer[]) AS m (id, matches)
      WHERE i.id = m.id`)
    enterOpen(
      work,
      rows.filter(({ state }) => state === STATE.open),
    )
    enterVoid(
      work,
      rows.filter(({ state }) => state === STATE.void),
    )
    const places = records.flatMap((record) => {
      if (record.state !== 'paid') return []
      return walletsOf(record.invoice).map((walletId) => ({ walletId, record }))
    })
    work.write(
      insertInto(
        'paid_places',
        [
          { name: 'wallet_id', type: 'text', of: ({ walletId }) => walletId },
          { name: 'currency', type: 'text', of: ({ record }) => record.invoice.currency },
          { name: 'owner', type: 'text', of: ({ record }) => record.invoice.owner },
          { name: 'callback', type: 'smallint', of: ({ record }) => callbackOf(record.invoice) },
          { name: 'invoice_id', type: 'uuid', of: ({ record }) => record.storeId },
          { name: 'atoms', type: 'numeric', of: ({ record }) => atomsOf(record) },
          {
            name: 'is_unmatched',
            type: 'boolean',
            of: ({ record }) => record.matches === 0,
          },
        ],
        places,
      ),
    )
  },
}

function toRow(record: MovedInvoice): NewInvoice {
  const { storeId, invoice, order, expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry, state, orderId } = record
  const walletIds = walletsOf(invoice)
  const ending = { expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry }
  return { id: storeId, invoice, order, walletIds, atoms: atomsOf(record), state: STATE[state], orderId, ...ending }
}

function atomsOf({ invoice }: MovedInvoice): bigint {
  const atoms = parseInvoiceAmount(invoice.amount)
  if (atoms === null) throw new Error('a stored invoice has no valid amount')
  return atoms
}

interface KeyColumns {
  readonly scope: Buffer
  readonly expires_at: number
  readonly body_hash: Buffer
  readonly invoice_id: string
}

/** A place is JSON, so bytes are hex in it. */
const hex = (column: string) =>
  column === 'scope' ? sql`encode(scope, 'hex') COLLATE "C"` : sql`encode(digest, 'hex') COLLATE "C"`

export const idempotencyKeys: PostgresMovedKind<'idempotencyKeys', KeyColumns> = {
  select: (behind) => sql`
    SELECT scope, expires_at, body_hash, invoice_id FROM idempotency_keys ${behindPlace([hex('scope')], ['text'], behind)}`,
  toRecord: ({ scope, expires_at, body_hash, invoice_id }) => ({
    record: {
      scope: scope.toString('hex'),
      expiresAt: expires_at,
      bodyHash: body_hash.toString('hex'),
      invoiceId: invoice_id,
    },
    place: [scope.toString('hex')],
  }),
  write: (work, records) =>
    work.write(
      insertInto(
        'idempotency_keys',
        [
          { name: 'scope', type: 'bytea', of: ({ scope }) => Buffer.from(scope, 'hex') },
          { name: 'expires_at', type: 'bigint', of: ({ expiresAt }) => expiresAt },
          { name: 'body_hash', type: 'bytea', of: ({ bodyHash }) => Buffer.from(bodyHash, 'hex') },
          { name: 'invoice_id', type: 'uuid', of: ({ invoiceId }) => invoiceId },
        ],
        records,
      ),
    ),
}

export const signedCreations: PostgresMovedKind<
  'signedCreations',
  { readonly digest: Buffer; readonly expires_at: number }
> = {
  select: (behind) => sql`
    SELECT digest, expires_at FROM signed_creations ${behindPlace([sql`expires_at`, hex('digest')], ['bigint', 'text'], behind)}`,
  toRecord: ({ digest, expires_at }) => {
    const text = digest.toString('hex')
    return { record: { expiresAt: expires_at, digest: text }, place: [expires_at, text] }
  },
  write: (work, records) =>
    work.write(
      insertInto(
        'signed_creations',
        [
          { name: 'digest', type: 'bytea', of: ({ digest }) => Buffer.from(digest, 'hex') },
          { name: 'expires_at', type: 'bigint', of: ({ expiresAt }) => expiresAt },
        ],
        records,
      ),
    ),
}
