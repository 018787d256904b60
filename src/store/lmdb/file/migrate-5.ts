import type { Migration } from './migration.js'

/** Version 6 may have records on networks other than the first two, and remembers what the catalogue says of each. */
export const MIGRATE_5: Migration = { from: 5, passes: [] }
