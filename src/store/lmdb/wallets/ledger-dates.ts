import type { Commit } from '../commit/commit-loop.js'
import { timeKey, WIDE_BYTES } from '../tables/keys.js'

/*
 * When the ledger assigned each wallet to its present owner, by the ledger's clock, as far as it is known. Transactions of a
 * ledger may be learned in another order than the ledger has them in.
 */

/** Whether an assignment that the ledger dates at `ledgerMs` was overtaken by a later one of the wallet. */
export function isOvertaken(commit: Commit, walletId: string, ledgerMs: number): boolean {
  const known = dateOf(commit, walletId)
  return known !== null && ledgerMs < known
}

/** Keeps the later of the known date and `ledgerMs`. */
export function noteDate(commit: Commit, walletId: string, ledgerMs: number): void {
  const known = dateOf(commit, walletId)
  if (known === null || known < ledgerMs) commit.tables.ledgerDates.putSync(Buffer.from(walletId), timeKey(ledgerMs))
}

function dateOf({ tables }: Commit, walletId: string): number | null {
  return tables.ledgerDates.get(Buffer.from(walletId))?.readUIntBE(0, WIDE_BYTES) ?? null
}
