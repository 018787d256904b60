/**
 * The three notations of a TRON account: base58check for people, 21 bytes of hex in transactions, 20 bytes of hex in
 * logs.
 */

import { createHash } from 'node:crypto'
import { createBase58check } from '@scure/base'

/** TRON's version byte in front of the 20 bytes of an account. */
const PREFIX = '41'
/** An address in a transaction. */
export const PREFIXED_ACCOUNT = /^41[0-9a-f]{40}$/

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

/** The base58check address of 42 lower-case hex digits that begin with `41`. */
export function addressOfHex(hex: string): string {
  return base58check.encode(Buffer.from(hex, 'hex'))
}

/** The base58check address of an account, 40 lower-case hex digits. */
export function addressOfAccount(account: string): string {
  return addressOfHex(hexOfAccount(account))
}

/** An account, 40 lower-case hex digits, as transactions write it. */
export function hexOfAccount(account: string): string {
  return PREFIX + account
}

/** The account of a base58check address, 40 lower-case hex digits; null for any other text. */
export function accountOfAddress(address: string): string | null {
  try {
    const hex = Buffer.from(base58check.decode(address)).toString('hex')
    return PREFIXED_ACCOUNT.test(hex) ? hex.slice(PREFIX.length) : null
  } catch {
    // The package reports text that is not Base58, or has a wrong checksum, only by throwing.
    return null
  }
}
