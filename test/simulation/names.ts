import { createHash } from 'node:crypto'
import type { Network } from '../../src/domain/network.js'
import { kindOf, type ScriptNetworks } from './networks.js'

/** What the numbers in a script's steps stand for. */

const HEX_ADDRESS_LENGTH = 40
const URLS = 3

export function ownerName(owner: number): string {
  return `owner-${owner}`
}

export function walletName(wallet: number): string {
  return `wallet-${wallet}`
}

export function walletNumber(name: string): number {
  return Number(name.slice('wallet-'.length))
}

export function networkOf(wallet: number, networks: ScriptNetworks): Network {
  return networks[wallet % 2 === 0 ? 0 : 1]
}

/** Spelling 0 is as the gateway has it; others change the case of letters, which on TRON makes another address. */
export function addressName(wallet: number, networks: ScriptNetworks, spelling = 0): string {
  const digits = `aBcDeF${wallet}`.padStart(HEX_ADDRESS_LENGTH, '0')
  const address = kindOf(networkOf(wallet, networks)) === 'evm' ? `0x${digits}` : `T${digits}x`
  if (spelling === 0) return address
  return spelling === 1 ? address.toLowerCase() : address.toUpperCase().replace('0X', '0x')
}

export function txHash(tx: number): string {
  return `tx-${tx}`
}

export function eventName(event: number | null): string | null {
  return event === null ? null : `event-${event}`
}

/** Receivers 0 and 3 are the same host, so an owner's lanes are fewer than their URLs. */
/** Few, so that several invoices have the same. */
export function orderNumberOf(n: number): string {
  return `A-${n % 4}`
}

export function callbackUrl(receiver: number): string {
  return `https://receiver-${receiver % URLS}.test/hook/${receiver}`
}

/** 33 bytes that no other key has. The store takes them as they are. */
export function publicKey(key: number): Buffer {
  return Buffer.concat([Buffer.of(2), createHash('sha256').update(`key-${key}`).digest()])
}

/** An amount of an invoice. The later forms are another amount, or none. */
export function decimalForm(coins: number, form: number): string {
  const forms = [`${coins}`, `${coins}.00`, `0${coins}.0`, `${coins}.000000`, `${coins}.000000000000000001`, '.5', '0']
  return forms[form] ?? ['-1', '1e1', ''][form - forms.length] ?? ''
}

/** The same of a raw token amount. */
export function rawForm(coins: number, form: number, decimals: number): string {
  const unit = 10n ** BigInt(decimals)
  if (form < 4) return `${BigInt(coins) * unit}`
  return [`${BigInt(coins) * unit + 1n}`, '500000', '0', '-1', '1.5', ''][form - 4] ?? ''
}
