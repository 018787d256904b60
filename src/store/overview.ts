import type { ApiKey } from '../domain/api-key.js'
import type { Deposit } from '../domain/deposit.js'
import type { Wallet } from '../domain/wallet.js'
import type { Delivery } from '../domain/webhook.js'
import type { Awaitable, InvoiceWithPayment, Page, PageOf } from './reading.js'

/** How many records there are of each kind. */
export type RecordCounts = Readonly<
  Record<'identities' | 'wallets' | 'keys' | 'invoices' | 'deposits' | 'deliveries', number>
>

/** An owner whom a record names. */
export interface KnownOwner {
  readonly owner: string
  /** Whether the ledger is known to have the identity. */
  readonly isKnown: boolean
  /** The keys that a gateway has pushed for it, with `0x` and a comma between them; null for none. */
  readonly keys: string | null
}

/** Records of all owners, for the operator. Unless said otherwise, lists are in an order of the engine's own; cursors are opaque. */
export interface OverviewPort {
  /** Counts without reading the records. */
  counts(): Awaitable<RecordCounts>
  owners(page: Page): Awaitable<PageOf<KnownOwner>>
  /** All wallets, those without an owner included. */
  wallets(page: Page): Awaitable<PageOf<Wallet>>
  keys(page: Page): Awaitable<PageOf<ApiKey>>
  /** Newest first. */
  invoices(page: Page): Awaitable<PageOf<InvoiceWithPayment>>
  /** Newest first. */
  deliveries(page: Page): Awaitable<PageOf<Delivery>>
  /** Of all networks, in the order in which they were first seen, newest first. */
  deposits(page: Page): Awaitable<PageOf<Deposit>>
  /** The deliveries of an owner that were made at a time or later, Unix ms, oldest first; cursors are delivery ids. */
  deliveriesSince(owner: string, timeMs: number, page: Page): Awaitable<PageOf<Delivery>>
}
