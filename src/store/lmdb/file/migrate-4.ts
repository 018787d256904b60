import type { Commit } from '../commit/commit.js'
import { depositCodec, listDepositNo } from '../deposits/deposit-rows.js'
import type { Migration } from './migration.js'

/** Brings data of version 4 to version 5: lets deposits be found by their numbers. The logs of owners begin empty. */
export const MIGRATE_4: Migration = {
  from: 4,
  passes: [{ name: 'deposit numbers', table: 'deposits', row: listDeposit }],
}

function listDeposit(commit: Commit, key: Buffer, value: Buffer): void {
  listDepositNo(commit, depositCodec.decode(value).no, key)
}
