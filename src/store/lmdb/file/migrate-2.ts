import type { Commit } from '../commit/commit.js'
import { depositCodec } from '../deposits/deposit-rows.js'
import { isPaidNow } from '../invoices/invoice-index.js'
import { indexed } from '../invoices/invoice-places.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import { changeMatches } from '../invoices/matches.js'
import { enterPaid } from '../invoices/paid-invoices.js'
import { listActiveKey } from '../keys/api-keys.js'
import { listEventTime } from '../ledger/events.js'
import { type InvoiceId, idOfKey } from '../tables/keys.js'
import type { Migration } from './migration.js'

/** Tables of version 2 that nothing uses any more. */
const OBSOLETE = ['wallet-payees', 'queue-invoices', 'queues']

/** Brings data of version 2 to version 3: makes the indexes that version 2 did not have. */
export const MIGRATE_2: Migration = {
  from: 2,
  passes: [
    { name: 'active keys', table: 'ownerApiKeys', row: listActiveKey },
    { name: 'event times', table: 'events', row: listEventTime },
    { name: 'matches', table: 'deposits', row: countMatch },
    // Behind the matches, which decide where a paid invoice is entered.
    { name: 'invoices', table: 'invoices', begin: dropIndexes, row: indexInvoice },
  ],
}

function countMatch(commit: Commit, _key: Buffer, value: Buffer): void {
  const { deposit, invoiceId } = depositCodec.decode(value)
  if (invoiceId === null || deposit.kind === 'dropped') return
  // What they are worth was not noted before version 12.
  changeMatches(commit, invoiceId, { matches: 1, seen: 0n, confirmed: 0n })
}

function dropIndexes({ tables: { root } }: Commit): void {
  for (const name of OBSOLETE) root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' }).dropSync()
}

function indexInvoice(commit: Commit, key: Buffer): void {
  const row = invoiceRow(commit, idOfKey<InvoiceId>(key))
  // The others are open ones: those are indexed on the way to version 12.
  if (isPaidNow(commit, row)) enterPaid(commit, indexed(commit, row))
}
