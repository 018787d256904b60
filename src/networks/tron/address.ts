/**
 * The three notations of a TRON account: base58check for people, 21 bytes of hex in transactions, 20 bytes of hex in
 * logs.
 */

import { createHash } from 'node:crypto'
import { createBase58check } from '@scure/base'

/** TRON's version byte in front of the 20 bytes of an account. */
const PREFIX = '41'
/** 20 bytes of hex, with or without the version byte. */
const HEX_ACCOUNT = /^(?:0x)?(?:41)?([0-9a-f]{40})$/i

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

/** The base58check address of an account, 40 lower-case hex digits. */
export function addressOfAccount(account: string): string {
  return base58check.encode(Buffer.from(hexOfAccount(account), 'hex'))
}

/** An account, 40 lower-case hex digits, as transactions write it. */
export function hexOfAccount(account: string): string {
  return PREFIX + account
}

/** The account of a base58check address, 40 lower-case hex digits; null for any other text. */
export function accountOfAddress(address: string): string | null {
  try {
    const hex = Buffer.from(base58check.decode(address)).toString('hex')
    return /^41[0-9a-f]{40}$/.test(hex) ? hex.slice(PREFIX.length) : null
  } catch {
    // The package reports text that is not Base58, or has a wrong checksum, only by throwing.
    return null
  }
}

/** The account that a node names in any of the three notations; null for everything else. */
export function accountOf(named: unknown): string | null {
  if (typeof named !== 'string') return null
  return HEX_ACCOUNT.exec(named)?.[1]?.toLowerCase() ?? accountOfAddress(named)
}
