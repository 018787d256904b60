import type { NameInNetwork } from '../domain/aside.js'
import type { BlockHead, ChainPosition, ChainStep, WatchedAddresses } from '../domain/block.js'
import type { Network } from '../domain/network.js'
import type { Watch } from '../domain/watch.js'
import type { Awaitable } from './reading.js'

/** What the watcher of a network needs to go on. `CommandPort` takes its steps. */
export interface ChainPort {
  /** What is remembered of the watching of a network. The first call notes that it is watched from now on. */
  watch(network: Network): Promise<Watch>
  /** Notes the settings with which the nodes of a network were found right. */
  noteSettings(network: Network, settings: string): Promise<void>
  /** How far the watcher is; undefined before its first step. */
  position(network: Network): Awaitable<ChainPosition | undefined>
  /** A block that the watcher has passed, while it is kept. */
  blockAt(network: Network, height: number): Awaitable<BlockHead | undefined>
  /** The addresses, each once, whose deposits a step concerns now: the step takes its turn with their wallets. */
  addressesOf(step: ChainStep): Awaitable<readonly string[]>
  /** The deposits that a step concerns now, each once. */
  depositsOf(step: ChainStep): Awaitable<readonly NameInNetwork[]>
  /** The addresses of the wallets of a network. Read them again for each step, because wallets get addresses. */
  watched(network: Network): Awaitable<WatchedAddresses>
}
