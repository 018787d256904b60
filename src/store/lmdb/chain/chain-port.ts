import type { NameInNetwork } from '../../../domain/aside.js'
import type { BlockHead, ChainPosition, ChainStep, WatchedAddresses } from '../../../domain/block.js'
import { canonicalAddress, type Network } from '../../../domain/network.js'
import type { Watch } from '../../../domain/watch.js'
import type { ChainPort } from '../../chain.js'
import { answeredNow } from '../../rules/asking.js'
import type { DepositJudge } from '../../rules/judge-report.js'
import { addressesOf, depositsOf } from '../../rules/step-scope.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { behindNetwork, networkKey } from '../tables/keys.js'
import { isOfWallet } from '../wallets/wallets.js'
import { findBlock, positionOf, toHead } from './block-rows.js'
import { factsAt } from './chain-steps.js'
import { findWatch, putWatch } from './watch-rows.js'

/** The result of a search: all addresses of wallets, or that there are more than a number. */
type Found = { readonly addresses: Set<string> } | { readonly moreThan: number }

/**
 * Reads what a watcher needs to go on. Where the addresses of a network's wallets are few they are read once and kept, and
 * those that wallets come to have later are added. Where they are many they stay many, since no wallet ever loses its
 * address.
 */
export class LmdbChain implements ChainPort {
  private readonly found = new Map<Network, Found>()

  constructor(
    private readonly commits: CommitLoop,
    private readonly judge: DepositJudge,
  ) {}

  async watch(network: Network): Promise<Watch> {
    const known = findWatch(this.commits.snapshot, network)
    if (known.watchedAt !== null) return known
    return await this.commits.run((commit) => putWatch(commit, network, { watchedAt: commit.nowMs }))
  }

  async noteSettings(network: Network, settings: string): Promise<void> {
    await this.commits.run((commit) => putWatch(commit, network, { settings }))
  }

  position(network: Network): ChainPosition | undefined {
    return positionOf(this.commits.snapshot, network)
  }

  blockAt(network: Network, height: number): BlockHead | undefined {
    const row = findBlock(this.commits.snapshot, network, height)
    return row === undefined ? undefined : toHead(row)
  }

  addressesOf(step: ChainStep): readonly string[] {
    return answeredNow(addressesOf(factsAt(this.commits.snapshot, step.network), step, this.judge))
  }

  depositsOf(step: ChainStep): readonly NameInNetwork[] {
    return answeredNow(depositsOf(factsAt(this.commits.snapshot, step.network), step, this.judge))
  }

  watched(network: Network): WatchedAddresses {
    return {
      has: (address) => this.commits.read((at) => isOfWallet(at, network, address)),
      few: (limit) => this.commits.read(() => this.few(network, limit)),
    }
  }

  /** Call it when the fact that gave a wallet its address is durable: before, a search does not find the address. */
  learned(network: Network, address: string): void {
    const found = this.found.get(network)
    if (found !== undefined && 'addresses' in found && isOfWallet(this.commits.snapshot, network, address)) {
      found.addresses.add(canonicalAddress(address))
    }
  }

  private few(network: Network, limit: number): readonly string[] | null {
    let found = this.found.get(network)
    if (found === undefined || ('moreThan' in found && found.moreThan < limit)) {
      found = this.search(network, limit)
      this.found.set(network, found)
    }
    return 'addresses' in found && found.addresses.size <= limit ? [...found.addresses] : null
  }

  private search(network: Network, limit: number): Found {
    const { snapshot } = this.commits
    const addresses = new Set<string>()
    const prefix = networkKey(network)
    for (const key of snapshot.tables.addresses.getKeys({ start: prefix, end: behindNetwork(network) })) {
      const address = key.subarray(prefix.length).toString()
      if (!isOfWallet(snapshot, network, address)) continue
      if (addresses.size === limit) return { moreThan: limit }
      addresses.add(address)
    }
    return { addresses }
  }
}
