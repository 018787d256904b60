import type { WatchedAddresses } from '../../domain/block.js'
import { canonicalAddress, NETWORKS, type Network } from '../../domain/network.js'
import { endOf } from './bytes.js'
import type { Tables } from './tables.js'
import type { Wallets } from './wallets.js'

/** Behind every key of an address. */
const KEY_BYTES_MAX = 600

/** What was found by looking through the addresses: all of the wallets', or that they are more than a number. */
type Found = { readonly addresses: Set<string> } | { readonly moreThan: number }

/**
 * The addresses of the wallets of each network. The few of them are looked up once and kept; those that come to wallets
 * later are added. That they are many stays true, since no wallet ever loses its address.
 */
export class WatchedAddressLists {
  private readonly found = new Map<Network, Found>()

  constructor(
    private readonly tables: Tables,
    private readonly wallets: Wallets,
  ) {}

  of(network: Network): WatchedAddresses {
    return {
      has: (address) => this.wallets.isWallets(network, address),
      few: (limit) => this.few(network, limit),
    }
  }

  /** To be called when what a fact said of an address is durable: before, looking would not find it, and nobody would again. */
  learned(network: Network, address: string): void {
    const found = this.found.get(network)
    if (found !== undefined && 'addresses' in found && this.wallets.isWallets(network, address)) {
      found.addresses.add(canonicalAddress(network, address))
    }
  }

  private few(network: Network, limit: number): readonly string[] | null {
    let found = this.found.get(network)
    if (found === undefined || ('moreThan' in found && found.moreThan < limit)) {
      found = this.look(network, limit)
      this.found.set(network, found)
    }
    return 'addresses' in found && found.addresses.size <= limit ? [...found.addresses] : null
  }

  private look(network: Network, limit: number): Found {
    const addresses = new Set<string>()
    const prefix = Buffer.of(NETWORKS.indexOf(network))
    for (const key of this.tables.addresses.getKeys({ start: prefix, end: endOf(prefix, KEY_BYTES_MAX) })) {
      const address = key.subarray(prefix.length).toString()
      if (!this.wallets.isWallets(network, address)) continue
      if (addresses.size === limit) return { moreThan: limit }
      addresses.add(address)
    }
    return { addresses }
  }
}
