import type { Currency } from '../domain/amount.js'
import type { Deposit } from '../domain/deposit.js'
import type { Network } from '../domain/network.js'
import type { StrayDeposit } from '../domain/payment.js'
import type { Span } from '../domain/zone.js'
import type { Awaitable, Page, PageOf } from './reading.js'
import type { ReceivedDeposit } from './received.js'

/** What came to some wallets in other currencies than one that is asked for there. */
export interface StraySearch {
  readonly walletIds: readonly string[]
  /** The currency that is asked for. */
  readonly currency: Currency
  /** Unix ms; only what was received later is meant. */
  readonly since: number
}

/** Reads deposits. `CommandPort` records them. */
export interface DepositPort {
  /**
   * The newest ones of a search that no invoice has matched, at most `limit`. What it reads grows with `limit` and the wallets, not with
   * their history.
   */
  strays(search: StraySearch, limit: number): Awaitable<readonly StrayDeposit[]>
  find(network: Network, txHash: string, index: number): Awaitable<Deposit | undefined>
  /** All deposits of a network, dropped ones included, in an order of the engine's own. Cursors are opaque. */
  page(network: Network, page: Page): Awaitable<PageOf<Deposit>>
  /**
   * The deposits of all networks that were received within a span, dropped ones included, in the order of receipt. What it reads grows
   * with them, not with the history. Cursors are opaque.
   */
  received(span: Span, page: Page): Awaitable<PageOf<ReceivedDeposit>>
}
