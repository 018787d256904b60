import type { Commit } from '../commit/commit-loop.js'
import { numberKey } from '../tables/bytes.js'
import type { InvoiceId } from '../tables/names.js'

/*
 * How many deposits have matched an invoice. A dropped deposit gives its match back (decisions 6).
 */

export function isMatched({ tables }: Commit, id: InvoiceId): boolean {
  return tables.matches.doesExist(id)
}

/** True when it is the only match of the invoice. */
export function addMatch(commit: Commit, id: InvoiceId): boolean {
  const count = countMatches(commit, id) + 1
  commit.tables.matches.putSync(id, numberKey(count))
  return count === 1
}

/** True when it was the only match of the invoice. */
export function removeMatch(commit: Commit, id: InvoiceId): boolean {
  const count = countMatches(commit, id) - 1
  if (count < 0) throw new Error('an invoice has no match to give back')
  if (count === 0) commit.tables.matches.removeSync(id)
  else commit.tables.matches.putSync(id, numberKey(count))
  return count === 0
}

function countMatches({ tables }: Commit, id: InvoiceId): number {
  return tables.matches.get(id)?.readUInt32BE(0) ?? 0
}
