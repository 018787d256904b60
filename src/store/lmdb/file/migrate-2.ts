import type { Commit } from '../commit/commit-loop.js'
import { allDeposits } from '../deposits/deposit-rows.js'
import { isPaidNow } from '../invoices/invoice-index.js'
import { indexed } from '../invoices/invoice-places.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import { enterOpen } from '../invoices/open-invoices.js'
import { addMatch, enterPaid } from '../invoices/paid-invoices.js'
import { listActiveKeys } from '../keys/api-keys.js'
import { listEventTimes } from '../ledger/events.js'
import { type InvoiceId, idOfKey } from '../tables/keys.js'

/** Tables of version 2 that nothing uses any more. */
const OBSOLETE = ['wallet-payees', 'queue-invoices', 'queues']

/** Brings data of version 2 to version 3. */
export function migrateVersion2(commit: Commit): void {
  listActiveKeys(commit)
  listEventTimes(commit)
  indexInvoices(commit)
}

/** Makes the indexes of version 3 from the invoices and deposits of version 2. */
function indexInvoices(commit: Commit): void {
  const { root, openAmounts, invoices } = commit.tables
  for (const name of OBSOLETE) root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' }).dropSync()
  // Its keys had no owner.
  openAmounts.clearSync()
  for (const { deposit, invoiceId } of allDeposits(commit)) {
    if (deposit.kind !== 'dropped' && invoiceId !== null) addMatch(commit, invoiceId)
  }
  for (const key of invoices.getKeys()) {
    const row = invoiceRow(commit, idOfKey<InvoiceId>(key))
    const invoice = indexed(commit, row)
    if (isPaidNow(commit, row)) enterPaid(commit, invoice)
    else enterOpen(commit, invoice)
  }
}
