import type { Migration } from './migration.js'

/**
 * Version 13 has records of deliveries of events, and tables that begin empty: cursors of events that are sent, what invoices say of
 * their orders, and notes of support.
 */
export const MIGRATE_12: Migration = { from: 12, passes: [] }
