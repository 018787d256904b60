import type { ScannedDeposit } from './scripted-network.js'

/** A payment to one of our wallets, and the block that has it. */
export interface HostilePayment extends ScannedDeposit {
  readonly height: number
}

/** A chain of which blocks never change, and which strangers and its only node make as hard to read as they can. */
export interface HostileNetwork {
  readonly id: string
  /** Its entry in the file of networks. */
  readonly entry: Readonly<Record<string, unknown>>
  readonly addresses: readonly string[]
  /** What its node can be like. */
  readonly quirks: readonly string[]
  quirk: string
  /** The height of its newest block. */
  readonly height: number
  /** Requests to its node. */
  readonly requests: number
  /** The height up to which blocks count as confirmed. */
  finalHeight(): number
  /** Makes all blocks up to a time, Unix milliseconds. Returns what is paid in them. */
  advance(toMs: number, isPaying: boolean): readonly HostilePayment[]
  close(): Promise<void>
}
