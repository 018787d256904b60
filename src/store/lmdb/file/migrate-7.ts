import type { Migration } from './migration.js'

/** Version 8 has tables for blocks and deposits that were set aside. They begin empty. */
export const MIGRATE_7: Migration = { from: 7, passes: [] }
