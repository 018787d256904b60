import { createHash } from 'node:crypto'
import type { Network } from '../../src/domain/network.js'
import { checksummedAddress } from '../../src/networks/ethereum/address.js'
import { addressOfAccount } from '../../src/networks/tron/address.js'

const ACCOUNT_BYTES = 20

/** A valid wallet address, made from a name. */
export function validAddress(network: Network, name: string): string {
  const account = createHash('sha256').update(name).digest().subarray(0, ACCOUNT_BYTES)
  return network === 'SEP' ? checksummedAddress(account) : addressOfAccount(account.toString('hex'))
}
