import { depositCodec, listReceived } from '../deposits/deposit-rows.js'
import type { Migration } from './migration.js'

/** Version 17 finds deposits by when they were received. */
export const MIGRATE_16: Migration = {
  from: 16,
  passes: [
    {
      name: 'order of receipt',
      table: 'deposits',
      row: (commit, _key, value) => listReceived(commit, depositCodec.decode(value)),
    },
  ],
}
