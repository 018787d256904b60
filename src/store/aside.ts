import type { BlockAside, DepositAside } from '../domain/aside.js'
import type { Network } from '../domain/network.js'
import type { Awaitable } from './reading.js'

/** Reads what was set aside. `CommandPort` sets aside, and ends it. */
export interface AsidePort {
  /** The blocks of a network that no node could give, lowest first; those for which the network still waits too. */
  blocks(network: Network): Awaitable<readonly BlockAside[]>
  /** The deposits of all networks whose recording failed, at most `DEPOSITS_ASIDE_MAX`, in an order of the engine's own. */
  deposits(): Awaitable<readonly DepositAside[]>
}
