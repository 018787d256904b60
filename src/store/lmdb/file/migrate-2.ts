import type { Commit } from '../commit/commit-loop.js'
import { allDeposits } from '../deposits/deposit-rows.js'
import { enterAsPaid, indexed, isPaidNow } from '../invoices/invoice-index.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import { addMatch } from '../invoices/matches.js'
import { enterOpen } from '../invoices/open-invoices.js'
import { listActiveKeys } from '../keys/api-keys.js'
import { listEventTimes } from '../ledger/events.js'
import { type InvoiceId, idOfKey } from '../tables/names.js'
import { addWebhookPayloads } from '../webhooks/webhook-configurations.js'

/** Tables of version 2 that nothing uses any more. */
const OBSOLETE = ['wallet-payees', 'queue-invoices', 'queues']

/** Brings data of version 2 to version 3. */
export function migrateVersion2(commit: Commit): void {
  listActiveKeys(commit)
  listEventTimes(commit)
  addWebhookPayloads(commit)
  indexInvoices(commit)
}

/** Makes the indexes of version 3 from the invoices and deposits of version 2. */
function indexInvoices(commit: Commit): void {
  const { root, openAmounts, invoices } = commit.tables
  for (const name of OBSOLETE) root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' }).dropSync()
  // Its keys had no owner.
  openAmounts.clearSync()
  for (const deposit of allDeposits(commit)) {
    if (deposit.kind !== 'dropped' && deposit.invoiceId !== null) addMatch(commit, deposit.invoiceId)
  }
  for (const key of invoices.getKeys()) {
    const id = idOfKey<InvoiceId>(key)
    const row = invoiceRow(commit, id)
    const invoice = indexed(commit, id, row)
    if (isPaidNow(commit, row)) enterAsPaid(commit, invoice)
    else enterOpen(commit, invoice)
  }
}
