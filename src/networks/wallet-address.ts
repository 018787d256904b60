import { canonicalAddress, type Network, type NetworkKind } from '../domain/network.js'
import type { FlawOfAddress } from '../domain/wallet.js'
import type { NetworkEntry } from './catalogue/entry.js'
import { isEthereumAddress } from './ethereum/address.js'
import { accountOfAddress } from './tron/address.js'

const VALID: Readonly<Record<NetworkKind, { readonly is: (text: string) => boolean; readonly what: string }>> = {
  evm: {
    is: isEthereumAddress,
    what: '0x and 40 hex digits, with a correct checksum when they are of mixed case',
  },
  tron: {
    is: (text) => accountOfAddress(text) !== null,
    what: 'a base58check address that begins with T, with a correct checksum',
  },
}

/**
 * Checks addresses of wallets (decisions 8). Money sent to a mistyped address, or to a token's own contract, is lost.
 * `catalogue` has the networks that wallets may be on.
 */
export function addressCheck(catalogue: readonly Pick<NetworkEntry, 'id' | 'kind' | 'tokens'>[]): FlawOfAddress {
  const entries = new Map<Network, Pick<NetworkEntry, 'kind' | 'tokens'>>(catalogue.map((entry) => [entry.id, entry]))
  return (network, address) => {
    const entry = entries.get(network)
    if (entry === undefined) return `${network} is not a network of this service`
    const valid = VALID[entry.kind]
    if (!valid.is(address)) return `an address on ${network} is ${valid.what}`
    const isToken = entry.tokens.some(({ contract }) => {
      return contract !== null && canonicalAddress(contract) === canonicalAddress(address)
    })
    return isToken ? 'the address is the contract of a token' : null
  }
}
