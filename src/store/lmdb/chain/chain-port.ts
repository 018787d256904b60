import type { BlockHead, ChainPosition, ChainStep, WatchedAddresses } from '../../../domain/block.js'
import type { Network } from '../../../domain/network.js'
import type { ChainPort } from '../../chain.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { findBlock, positionOf, toHead } from './block-rows.js'
import type { ChainSteps } from './chain-steps.js'
import type { WatchedAddressLists } from './watched-addresses.js'

/** Reads what a watcher needs to go on. */
export class LmdbChain implements ChainPort {
  constructor(
    private readonly commits: CommitLoop,
    private readonly steps: ChainSteps,
    private readonly lists: WatchedAddressLists,
  ) {}

  position(network: Network): ChainPosition | undefined {
    return positionOf(this.commits.snapshot, network)
  }

  blockAt(network: Network, height: number): BlockHead | undefined {
    const row = findBlock(this.commits.snapshot, network, height)
    return row === undefined ? undefined : toHead(row)
  }

  addressesOf(step: ChainStep): readonly string[] {
    return this.steps.addressesOf(this.commits.snapshot, step)
  }

  watched(network: Network): WatchedAddresses {
    return this.lists.of(network)
  }
}
