import type { Deposit } from '../domain/deposit.js'
import type { Network } from '../domain/network.js'
import type { Wallet } from '../domain/wallet.js'
import type { Awaitable, InvoiceWithPayment, Page, PageOf } from './reading.js'

/** Rows of an index that one search reads at most, where not every row is a record that is meant. */
export const SEARCHED_ROWS_MAX = 200

/**
 * Finds records of all owners by how something of them begins, for people who look for one. Every answer has at most `limit`
 * records and costs about as many look-ups: each goes by an order that an index has. Nothing begins with an empty text.
 */
export interface SearchPort {
  /** In the order of the numbers, a number before those that go on. */
  byOrderNumber(beginning: string, limit: number): Awaitable<readonly InvoiceWithPayment[]>
  byReference(beginning: string, limit: number): Awaitable<readonly InvoiceWithPayment[]>
  /** Ids of this service are lower-case hex; imported ones are found as they are written. */
  byInvoiceId(beginning: string, limit: number): Awaitable<readonly InvoiceWithPayment[]>
  /** Wallets of a network, by their addresses as they are compared. */
  byAddress(network: Network, beginning: string, limit: number): Awaitable<readonly Wallet[]>
  /**
   * Deposits of a network whose transaction begins with one of some texts. A page may be short or empty and have a next one: an engine may
   * have to look at each index that a deposit can have within its transaction. Cursors are opaque.
   */
  byTransaction(network: Network, beginnings: readonly string[], page: Page): Awaitable<PageOf<Deposit>>
  /**
   * Deposits to an address that are matched to no invoice, in the currencies that invoices have, those last received first; dropped ones are
   * left out.
   */
  unmatchedTo(network: Network, address: string, limit: number): Awaitable<readonly Deposit[]>
  /** Invoices of an owner on a wallet, newest first. Of very many open ones not the newest may be among them, of void ones those last voided. */
  invoicesOn(walletId: string, owner: string, limit: number): Awaitable<readonly InvoiceWithPayment[]>
}
