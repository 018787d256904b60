/** Addresses of the simulated networks, valid by the rules of the real ones, so that wallets and validators take them. */

import { keccak_256 } from '@noble/hashes/sha3.js'
import type { RandomFill } from '../crypto/random.js'
import type { Network } from '../domain/network.js'
import { accountOfAddress, addressOfAccount } from '../networks/tron-address.js'

/** Bytes that name an account, on both networks. */
const ACCOUNT_BYTES = 20

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** A new address of the network. Nobody has a key to it. */
export function randomAddress(network: Network, random: RandomFill): string {
  const account = Buffer.alloc(ACCOUNT_BYTES)
  random(account)
  return network === 'SEP' ? evmAddress(account) : tronAddress(account)
}

/** The network whose addresses have the form of `text`, or null. The case of an EVM address is not judged (decisions 5). */
export function networkOfAddress(text: string): Network | null {
  if (EVM_ADDRESS.test(text)) return 'SEP'
  return accountOfAddress(text) === null ? null : 'TRX-NILE'
}

/** `0x` and 40 hex digits whose case is the checksum of ERC-55: upper where the digest of the digits has a high nibble. */
export function evmAddress(account: Uint8Array): string {
  const digits = Buffer.from(account).toString('hex')
  const digest = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex')
  let cased = ''
  for (const [i, digit] of [...digits].entries()) cased += (digest[i] ?? '0') >= '8' ? digit.toUpperCase() : digit
  return `0x${cased}`
}

/** The address on TRON of an account of 20 bytes. */
export function tronAddress(account: Uint8Array): string {
  return addressOfAccount(Buffer.from(account).toString('hex'))
}
