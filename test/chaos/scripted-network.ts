import type { UnreliableProxy } from './unreliable-proxy.js'

/** A deposit that a scan of a whole chain finds, as the service should report it. */
export interface ScannedDeposit {
  readonly txHash: string
  readonly toAddress: string
  readonly currency: 'Tether' | '#native'
  /** In the form of `currency`: a whole number of the token's smallest units, or decimal coins. */
  readonly amount: string
}

/** What is wrong with the only node of a network for a while. */
export const TROUBLES = ['stopped', 'lagging', 'of another chain'] as const
export type Trouble = (typeof TROUBLES)[number]

/** By the clock of the service. */
export const POLL_MS = 1200

/** A chain whose blocks, deposits and reorganisations the scenario decides, behind a proxy. */
export interface ScriptedNetwork {
  readonly id: string
  /** Its entry in the file of networks. */
  readonly entry: Readonly<Record<string, unknown>>
  readonly decimals: number
  /** One wallet for each owner. */
  readonly addresses: readonly string[]
  readonly proxy: UnreliableProxy
  /** How many reorganisations there were. */
  readonly reorganisations: number
  /** Transactions whose blocks were replaced and which are not on the new branch, and which are. */
  readonly replaced: { gone: number; back: number }
  /** The time of its newest block, Unix milliseconds. */
  readonly newestMs: number
  height(): Promise<number>
  /** Makes all blocks up to a time, Unix milliseconds, with a payment in some of them. Returns the hashes of payments. */
  advance(toMs: number, isPaying: boolean): Promise<readonly string[]>
  /** Replaces a few unconfirmed blocks. */
  reorganise(): Promise<void>
  begin(trouble: Trouble): Promise<void>
  end(): Promise<void>
  /** All deposits of the chain as it is now. */
  scan(): Promise<readonly ScannedDeposit[]>
  close(): Promise<void>
}

/** A decimal of an amount of 10⁻ⁿ units, without zeros at its end. */
export function decimalOf(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const whole = digits.slice(0, digits.length - decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
