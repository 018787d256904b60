/** Addresses of the simulated networks. They are valid on the real ones, so that wallets and validators accept them. */

import type { RandomFill } from '../crypto/id.js'
import type { NetworkKind } from '../domain/network.js'
import { checksummedAddress } from '../networks/ethereum/address.js'
import { accountOfAddress, addressOfAccount } from '../networks/tron/address.js'

/** Length of an account, on both kinds of networks. */
const ACCOUNT_BYTES = 20

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** A new address, without a key. */
export function randomAddress(kind: NetworkKind, random: RandomFill): string {
  const account = Buffer.alloc(ACCOUNT_BYTES)
  random(account)
  return kind === 'evm' ? checksummedAddress(account) : addressOfAccount(account.toString('hex'))
}

/** The kind of network whose addresses have the form of `text`, or null. The case of an EVM address does not matter (decisions 5). */
export function kindOfAddress(text: string): NetworkKind | null {
  if (EVM_ADDRESS.test(text)) return 'evm'
  return accountOfAddress(text) === null ? null : 'tron'
}
