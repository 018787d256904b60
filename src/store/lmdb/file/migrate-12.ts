import type { Migration } from './migration.js'

/** Version 13 has a table of cursors of events that are sent, which begins empty, and records of deliveries of events. */
export const MIGRATE_12: Migration = { from: 12, passes: [] }
