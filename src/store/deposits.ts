import type { Deposit } from '../domain/deposit.js'
import type { Network } from '../domain/network.js'
import type { Awaitable, Page, PageOf } from './reads.js'

/** Reads deposits. `CommandPort` records them. */
export interface DepositPort {
  find(network: Network, txHash: string, index: number): Awaitable<Deposit | undefined>
  /** All deposits of a network, dropped ones included, in an order of the engine's own. Cursors are opaque. */
  page(network: Network, page: Page): Awaitable<PageOf<Deposit>>
}
