import type { Tables } from '../src/store/lmdb/tables/tables.js'

/** What the disk is used for. */
export type DiskKind =
  | 'invoice'
  | 'deposit'
  | 'delivery'
  | 'event'
  | 'owner event'
  | 'idempotency key'
  | 'wallet'
  | 'other'

/** The kind of record that each table grows with. */
export const TABLE_KINDS: Readonly<Record<Exclude<keyof Tables, 'root'>, DiskKind>> = {
  meta: 'other',
  networks: 'other',
  currencies: 'other',
  identities: 'other',
  wallets: 'wallet',
  addresses: 'wallet',
  ownerWallets: 'wallet',
  freeWallets: 'wallet',
  apiKeys: 'other',
  apiKeyIds: 'other',
  ownerApiKeys: 'other',
  activeApiKeys: 'other',
  invoices: 'invoice',
  importedInvoices: 'invoice',
  ownerInvoices: 'invoice',
  idempotencyKeys: 'idempotency key',
  idempotencyExpiries: 'idempotency key',
  signedCreations: 'other',
  references: 'invoice',
  orderFields: 'invoice',
  orderNumbers: 'invoice',
  orders: 'other',
  ownerOrders: 'other',
  numberedOrders: 'other',
  orderExpiries: 'other',
  notes: 'other',
  invoiceNotes: 'other',
  openAmounts: 'invoice',
  openInvoices: 'invoice',
  paidInvoices: 'invoice',
  paidAmounts: 'wallet',
  unmatchedInvoices: 'invoice',
  matches: 'deposit',
  invoiceDeposits: 'deposit',
  voidInvoices: 'invoice',
  expiries: 'invoice',
  walletSetNos: 'wallet',
  walletSets: 'wallet',
  deposits: 'deposit',
  depositNumbers: 'deposit',
  receivedDeposits: 'deposit',
  seenTotals: 'deposit',
  confirmedTotals: 'deposit',
  unmatchedSeenTotals: 'deposit',
  unmatchedConfirmedTotals: 'deposit',
  unsettledWallets: 'other',
  watches: 'other',
  chains: 'other',
  blocks: 'other',
  blockDeposits: 'other',
  blocksAside: 'other',
  depositsAside: 'other',
  events: 'event',
  eventTimes: 'event',
  ledgerTaken: 'other',
  ledgerSetAside: 'other',
  identityKeys: 'other',
  ledgerDates: 'other',
  withdrawnWallets: 'other',
  webhooks: 'other',
  eventCursors: 'other',
  deliveries: 'delivery',
  queuedDeliveries: 'delivery',
  attemptedDeliveries: 'delivery',
  waitingDeliveries: 'delivery',
  ownerDeliveries: 'delivery',
  audit: 'other',
  ownerEvents: 'owner event',
}
