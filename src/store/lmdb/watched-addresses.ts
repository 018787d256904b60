import type { WatchedAddresses } from '../../domain/block.js'
import { NETWORKS, type Network } from '../../domain/network.js'
import { endOf } from './bytes.js'
import type { Tables } from './tables.js'
import type { Wallets } from './wallets.js'

/** Behind every key of an address. */
const KEY_BYTES_MAX = 600

/** What was found by looking through the addresses: all of the wallets', or that they are more than a number. */
type Found = { readonly addresses: readonly string[] } | { readonly moreThan: number }

/**
 * The addresses of the wallets of each network. The few of them are looked up once and kept until a wallet gets an address;
 * that they are many stays true, since no wallet ever loses its address.
 */
export class WatchedAddressLists {
  private found = new Map<Network, Found>()

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

  /** To be called when what was written about wallets can be read: before, the old list would be found again. */
  forget(): void {
    for (const [network, found] of this.found) {
      if ('addresses' in found) this.found.delete(network)
    }
  }

  private few(network: Network, limit: number): readonly string[] | null {
    const known = this.found.get(network)
    if (known !== undefined && 'moreThan' in known && known.moreThan >= limit) return null
    if (known !== undefined && 'addresses' in known) return known.addresses.length <= limit ? known.addresses : null
    const addresses = this.look(network, limit)
    this.found.set(network, addresses === null ? { moreThan: limit } : { addresses })
    return addresses
  }

  private look(network: Network, limit: number): readonly string[] | null {
    const addresses: string[] = []
    const prefix = Buffer.of(NETWORKS.indexOf(network))
    for (const key of this.tables.addresses.getKeys({ start: prefix, end: endOf(prefix, KEY_BYTES_MAX) })) {
      const address = key.subarray(prefix.length).toString()
      if (!this.wallets.isWallets(network, address)) continue
      if (addresses.length === limit) return null
      addresses.push(address)
    }
    return addresses
  }
}
