import type { Migration } from './migration.js'

/** Version 14 has records of networks with several tokens, and a table of the numbers of their currencies, which begins empty. */
export const MIGRATE_13: Migration = { from: 13, passes: [] }
