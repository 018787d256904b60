import { canonicalAddress, kindOf, type Network, type NetworkKind } from '../domain/network.js'
import type { FlawOfAddress } from '../domain/wallet.js'
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
 * Checks addresses of wallets (decisions 8). Money sent to a mistyped address, or to the token's own contract, is lost.
 * `tokens` are the contracts of the networks, where configured.
 */
export function addressCheck(tokens: Readonly<Record<Network, string | undefined>>): FlawOfAddress {
  return (network, address) => {
    const valid = VALID[kindOf(network)]
    if (!valid.is(address)) return `an address on ${network} is ${valid.what}`
    const token = tokens[network]
    const isToken = token !== undefined && canonicalAddress(network, token) === canonicalAddress(network, address)
    return isToken ? 'the address is the contract of the token' : null
  }
}
