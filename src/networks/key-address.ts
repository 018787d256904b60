import { keccak_256 } from '@noble/hashes/sha3.js'
import type { NetworkKind } from '../domain/network.js'
import { checksummedAddress } from './ethereum/address.js'
import { addressOfAccount } from './tron/address.js'

const ACCOUNT_BYTES = 20

/**
 * The address that a public key has on networks of a kind. Both take the last 20 bytes of the Keccak-256 of the point (Yellow Paper, appendix F)
 * and write them differently. `point` is the uncompressed key: 65 bytes, of which the first is 4.
 */
export function addressOfKey(kind: NetworkKind, point: Uint8Array): string {
  const account = keccak_256(point.subarray(1)).subarray(-ACCOUNT_BYTES)
  return kind === 'evm' ? checksummedAddress(account) : addressOfAccount(Buffer.from(account).toString('hex'))
}
