import { Fragment, sql } from './sql.js'

/** Tables that requests write. Somebody may have locked one of them as a whole. */
export const TABLES: readonly string[] = [
  'leases',
  'chains',
  'identities',
  'identity_keys',
  'addresses',
  'wallets',
  'withdrawn_wallets',
  'api_keys',
  'invoices',
  'orders',
  'leaning_orders',
  'open_places',
  'paid_places',
  'void_places',
  'paid_amounts',
  'unsettled_wallets',
  'idempotency_keys',
  'signed_creations',
  'deposits',
  'received_spans',
  'answered_events',
  'webhooks',
  'deliveries',
  'delivery_head',
  'owner_events',
  'event_heads',
  'event_cursors',
  'change_log',
  'audit',
]

/** Waits for what a read of each table waits for, and reads nothing. */
export const READ_PROBE = new Fragment(
  [TABLES.map((table) => `SELECT 1 FROM ${table} WHERE false`).join(' UNION ALL ')],
  [],
)

/** Wait for what a write to each table waits for, and write nothing but what every transaction writes of itself. */
export const WRITE_PROBE: readonly Fragment[] = [
  ...TABLES.map((table) => new Fragment([`DELETE FROM ${table} WHERE false`], [])),
  sql`DELETE FROM committed WHERE at < 0`,
]
