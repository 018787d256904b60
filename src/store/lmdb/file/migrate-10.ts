import type { Migration } from './migration.js'

/** Version 11 has a table of wallets that were withdrawn from the pool. It begins empty. */
export const MIGRATE_10: Migration = { from: 10, passes: [] }
