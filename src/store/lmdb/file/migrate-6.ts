import { noteWallet } from '../chain/watch-rows.js'
import type { Commit } from '../commit/commit.js'
import { walletCodec } from '../wallets/wallet-row.js'
import type { Migration } from './migration.js'

/**
 * Version 7 remembers since when a network has been watched and has had wallets. When a wallet became known was not noted before:
 * the first assignment stands for it, since nobody is asked to pay to a wallet before.
 */
export const MIGRATE_6: Migration = {
  from: 6,
  passes: [{ name: 'first wallets', table: 'wallets', row: noteAssignment }],
}

function noteAssignment(commit: Commit, _key: Buffer, value: Buffer): void {
  const { network, assignedAt } = walletCodec.decode(value)
  if (network !== null && assignedAt !== null) noteWallet(commit, network, assignedAt)
}
