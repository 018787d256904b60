import type { BlockHead, ChainPosition, ChainStep, WatchedAddresses } from '../domain/block.js'
import type { Network } from '../domain/network.js'
import type { Awaitable } from './reads.js'

/** What the watcher of a network needs to go on. `CommandPort` takes its steps. */
export interface ChainPort {
  /** How far the watcher has come; undefined before its first step. */
  position(network: Network): Awaitable<ChainPosition | undefined>
  /** A block that the watcher has passed, while it is kept. */
  blockAt(network: Network, height: number): Awaitable<BlockHead | undefined>
  /** The addresses, each once, whose deposits a step concerns as of now: the step takes its turn with their wallets. */
  addressesOf(step: ChainStep): Awaitable<readonly string[]>
  /** The addresses of the wallets of a network, to be read anew for each step: wallets come to have addresses. */
  watched(network: Network): Awaitable<WatchedAddresses>
}
