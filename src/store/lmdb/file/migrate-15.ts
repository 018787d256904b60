import type { Migration } from './migration.js'

/** Version 16 has orders: tables that begin empty, invoices that name theirs, and events of orders. */
export const MIGRATE_15: Migration = { from: 15, passes: [] }
