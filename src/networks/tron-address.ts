/** The three spellings of a TRON account: base58check for people, 21 bytes of hex in transactions, 20 bytes of hex in logs. */

import { createHash } from 'node:crypto'
import { createBase58check } from '@scure/base'

/** TRON's version byte in front of the 20 bytes of an account. */
const PREFIX = '41'
const PREFIXED_HEX = /^41[0-9a-f]{40}$/

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

/** The base58check address of an account, 40 lower-case hex digits. */
export function addressOfAccount(account: string): string {
  return base58check.encode(Buffer.from(PREFIX + account, 'hex'))
}

/** The account of a base58check address, 40 lower-case hex digits, or null when the text is none. */
export function accountOfAddress(address: string): string | null {
  try {
    return accountOfHex(Buffer.from(base58check.decode(address)).toString('hex'))
  } catch {
    // The package tells only in this way that a text is not Base58 or its checksum is wrong.
    return null
  }
}

/** The account of an address as transactions write it, `41` and 40 lower-case hex digits, or null when the text is none. */
export function accountOfHex(hex: string): string | null {
  return PREFIXED_HEX.test(hex) ? hex.slice(PREFIX.length) : null
}

/** The address of an account as transactions write it. */
export function hexOfAccount(account: string): string {
  return PREFIX + account
}
