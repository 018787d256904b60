/** Addresses of the simulated networks, valid by the rules of the real ones, so that wallets and validators take them. */

import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { RandomFill } from '../crypto/random.js'
import type { Network } from '../domain/network.js'

/** Bytes that name an account, on both networks. */
const ACCOUNT_BYTES = 20
/** TRON's version byte in front of the account. */
const TRON_PREFIX = 0x41
const CHECKSUM_BYTES = 4
const BASE58_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BASE58 = 58n

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/
/** 25 bytes that begin with 0x41 always have 34 digits of which the first is T. */
const TRON_ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/

/** A new address of the network. Nobody has a key to it. */
export function randomAddress(network: Network, random: RandomFill): string {
  const account = Buffer.alloc(ACCOUNT_BYTES)
  random(account)
  return network === 'SEP' ? evmAddress(account) : tronAddress(account)
}

/** The network whose addresses have the form of `text`, or null. The case of an EVM address is not judged (decisions 5). */
export function networkOfAddress(text: string): Network | null {
  if (EVM_ADDRESS.test(text)) return 'SEP'
  return TRON_ADDRESS.test(text) && isTronAddress(text) ? 'TRX-NILE' : null
}

/** `0x` and 40 hex digits whose case is the checksum of ERC-55: upper where the digest of the digits has a high nibble. */
export function evmAddress(account: Uint8Array): string {
  const digits = Buffer.from(account).toString('hex')
  const digest = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex')
  let cased = ''
  for (const [i, digit] of [...digits].entries()) cased += (digest[i] ?? '0') >= '8' ? digit.toUpperCase() : digit
  return `0x${cased}`
}

/** Base58Check of 0x41 and the account. */
export function tronAddress(account: Uint8Array): string {
  const payload = Buffer.concat([Uint8Array.of(TRON_PREFIX), account])
  const bytes = Buffer.concat([payload, checksum(payload)])
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  // The first byte is not zero, so the leading ones of other Base58 texts do not arise.
  let text = ''
  for (; rest > 0n; rest /= BASE58) text = BASE58_ALPHABET.charAt(Number(rest % BASE58)) + text
  return text
}

/** Whether a text of the right form decodes to 0x41, an account and its checksum. */
function isTronAddress(text: string): boolean {
  let value = 0n
  for (const digit of text) value = value * BASE58 + BigInt(BASE58_ALPHABET.indexOf(digit))
  const hex = value.toString(16)
  if (hex.length !== 2 * (1 + ACCOUNT_BYTES + CHECKSUM_BYTES)) return false
  const bytes = Buffer.from(hex, 'hex')
  const payload = bytes.subarray(0, 1 + ACCOUNT_BYTES)
  return payload[0] === TRON_PREFIX && checksum(payload).equals(bytes.subarray(1 + ACCOUNT_BYTES))
}

/** The first four bytes of SHA-256 twice. */
function checksum(payload: Uint8Array): Buffer {
  return sha256(sha256(payload)).subarray(0, CHECKSUM_BYTES)
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
