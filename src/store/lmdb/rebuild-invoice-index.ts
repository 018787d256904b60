import { isPaid } from '../../domain/payment.js'
import { DepositRows } from './deposit-rows.js'
import { Identities } from './identities.js'
import { InvoiceIndex } from './invoice-index.js'
import { atomsOf, InvoiceRows } from './invoice-rows.js'
import { Matches } from './matches.js'
import { OpenInvoices } from './open-invoices.js'
import { PaidInvoices } from './paid-invoices.js'
import { Payees } from './payees.js'
import { Payments } from './payments.js'
import { Sequences } from './sequences.js'
import type { Tables } from './tables.js'
import { WalletSets } from './wallet-sets.js'
import { Wallets } from './wallets.js'

/** Tables of version 2 that nothing uses any more. */
const OBSOLETE = ['wallet-payees', 'queue-invoices', 'queues']

/** Makes the indexes of version 3 from the invoices and deposits of version 2, one after the other. */
export function rebuildInvoiceIndex(tables: Tables): void {
  for (const name of OBSOLETE) tables.root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' }).dropSync()
  // Its keys had no owner.
  tables.openAmounts.clearSync()
  const sequences = new Sequences(tables.meta)
  const payees = new Payees(tables, sequences)
  const rows = new InvoiceRows(tables, payees)
  const wallets = new Wallets(tables, sequences, new Identities(tables, sequences), () => null)
  const payments = new Payments(tables, wallets)
  const matches = new Matches(tables)
  const open = new OpenInvoices(tables, new WalletSets(tables))
  const paid = new PaidInvoices(tables)
  const index = new InvoiceIndex(rows, payees, wallets, payments, open, paid, matches)
  for (const deposit of new DepositRows(tables.deposits).all()) {
    if (deposit.kind !== 'dropped' && deposit.invoiceId !== null) matches.take(Buffer.from(deposit.invoiceId))
  }
  for (const key of tables.invoices.getKeys()) {
    const id = Buffer.from(key)
    const row = rows.get(id)
    const invoice = index.of(id, row)
    if (isPaid(atomsOf(row), payments.confirmed(row))) index.enterPaid(invoice)
    else open.enter(invoice)
  }
}
