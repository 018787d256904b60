import type { Migration } from './migration.js'

/** Version 15 has a row for rates in `meta`, which begins without one. A program of before would take it for damage. */
export const MIGRATE_14: Migration = { from: 14, passes: [] }
