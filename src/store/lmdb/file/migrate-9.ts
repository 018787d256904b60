import type { Migration } from './migration.js'

/** Version 10 has a table of the keys of identities. It begins empty. */
export const MIGRATE_9: Migration = { from: 9, passes: [] }
