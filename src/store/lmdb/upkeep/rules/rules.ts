import type { TableName } from '../../tables/tables.js'
import { blocksAside, depositsAside } from './aside-rules.js'
import { audit } from './audit-rules.js'
import { blocks, chains, currencies, networks, watches } from './chain-rules.js'
import { deliveries, eventCursors, webhooks } from './delivery-rules.js'
import { deposits, totals } from './deposit-rules.js'
import { ownerEvents, unsettledWallets } from './event-rules.js'
import { addresses, identities, identityKeys, ledgerDates, wallets, withdrawnWallets } from './identity-rules.js'
import { invoices, openAmounts, paidAmounts } from './invoice-rules.js'
import { apiKeys, idempotencyKeys, ownerApiKeys, signedCreations } from './key-rules.js'
import { events, ledgerSetAside, ledgerTaken, meta } from './ledger-rules.js'
import { invoiceDeposits, matches } from './match-rules.js'
import { notes } from './note-rules.js'
import { orderFields } from './order-rules.js'
import { index, type MakeRule } from './rule.js'
import { walletSets } from './set-rules.js'
import { orders } from './trade-rules.js'

/** A rule for each table, in the order in which they are read: totals come behind the addresses that they belong to. */
export const RULES: Readonly<Record<TableName, MakeRule>> = {
  meta,
  networks,
  currencies,
  identities,
  wallets,
  addresses,
  ownerWallets: index,
  freeWallets: index,
  apiKeys,
  apiKeyIds: index,
  ownerApiKeys,
  activeApiKeys: index,
  walletSets,
  walletSetNos: index,
  invoices,
  importedInvoices: index,
  ownerInvoices: index,
  idempotencyKeys,
  idempotencyExpiries: index,
  signedCreations,
  references: index,
  orderFields,
  orderNumbers: index,
  orders,
  ownerOrders: index,
  numberedOrders: index,
  orderExpiries: index,
  leaningOrders: index,
  notes,
  invoiceNotes: index,
  openAmounts,
  openInvoices: index,
  openSets: index,
  paidInvoices: index,
  paidAmounts,
  unmatchedInvoices: index,
  matches,
  voidInvoices: index,
  expiries: index,
  unsettledWallets,
  deposits,
  depositNumbers: index,
  receivedDeposits: index,
  seenTotals: totals,
  confirmedTotals: totals,
  unmatchedSeenTotals: totals,
  unmatchedConfirmedTotals: totals,
  invoiceDeposits,
  watches,
  chains,
  blocks,
  blockDeposits: index,
  blocksAside,
  depositsAside,
  events,
  eventTimes: index,
  ledgerTaken,
  ledgerSetAside,
  identityKeys,
  ledgerDates,
  withdrawnWallets,
  webhooks,
  eventCursors,
  deliveries,
  queuedDeliveries: index,
  attemptedDeliveries: index,
  waitingDeliveries: index,
  ownerDeliveries: index,
  audit,
  ownerEvents,
}
