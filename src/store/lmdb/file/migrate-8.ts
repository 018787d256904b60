import type { Migration } from './migration.js'

/** Version 9 has a table of what operators did. It begins empty. */
export const MIGRATE_8: Migration = { from: 8, passes: [] }
