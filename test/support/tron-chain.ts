import { createHash } from 'node:crypto'
import type { ObservedBlock, ObservedTransfer } from '../../src/domain/block.js'
import { addressOfAccount } from '../../src/networks/tron/address.js'
import { type EmulatedTransaction, trxTransfer } from './tron-transactions.js'

/** Producers that must have built on a block, its own included, before it is final. */
const SOLIDIFYING_BLOCKS = 19
const BLOCK_INTERVAL_MS = 3000
const FIRST_BLOCK_MS = 1_777_445_121_000

/** A block of the emulated chain; the first one has no time and no receipts, as the real one. */
export interface EmulatedBlock {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  readonly timeMs: number
  readonly transactions: readonly EmulatedTransaction[]
}

/** The chain as one node sees it. */
export interface ChainView {
  /** From the first block on, each at the index that is its height. */
  readonly blocks: readonly EmulatedBlock[]
  /** Height up to which blocks are solidified. */
  readonly solidified: number
}

/** An emulated TRON chain: a test produces its blocks, and undoes those that are not solidified. */
export class EmulatedTronChain implements ChainView {
  readonly blocks: EmulatedBlock[] = []
  private forks = 0

  /** `firstMs`: from when on there are blocks, Unix milliseconds. */
  constructor(private readonly firstMs = FIRST_BLOCK_MS) {
    this.add([trxTransfer('0'.repeat(40), 99_000_000_000_000_000n)], 0)
  }

  get latest(): number {
    return this.blocks.length - 1
  }

  get solidified(): number {
    return Math.max(0, this.latest - SOLIDIFYING_BLOCKS + 1)
  }

  /** Produces a block of these transactions. */
  produce(...transactions: readonly EmulatedTransaction[]): EmulatedBlock {
    // Each producer has its own slot, so the block that replaces another one is later.
    return this.add(transactions, this.firstMs + (this.blocks.length + this.forks) * BLOCK_INTERVAL_MS)
  }

  /** Produces a block of these transactions at a time, Unix milliseconds, that is later than that of the newest one. */
  produceAt(timeMs: number, ...transactions: readonly EmulatedTransaction[]): EmulatedBlock {
    return this.add(transactions, timeMs)
  }

  /** Produces empty blocks. */
  produceEmpty(count: number): void {
    for (let i = 0; i < count; i += 1) this.produce()
  }

  /** Undoes the newest blocks and returns them. Later blocks differ from them even with the same contents. */
  undo(depth: number): readonly EmulatedBlock[] {
    if (this.latest - depth < this.solidified) throw new Error('solidified blocks cannot be undone')
    this.forks += 1
    return this.blocks.splice(this.blocks.length - depth)
  }

  /** When the newest block was produced. */
  get newestMs(): number {
    return this.blocks.at(-1)?.timeMs ?? 0
  }

  /** The chain now, or as seen by a node that is `lag` blocks behind. */
  view(lag = 0): ChainView {
    const blocks = this.blocks.slice(0, this.blocks.length - lag)
    return { blocks, solidified: Math.max(0, blocks.length - SOLIDIFYING_BLOCKS) }
  }

  private add(transactions: readonly EmulatedTransaction[], timeMs: number): EmulatedBlock {
    const height = this.blocks.length
    const parentHash = this.blocks.at(-1)?.hash ?? '0'.repeat(64)
    const content = `${this.forks} ${parentHash} ${transactions.map(({ id }) => id).join()}`
    const digest = createHash('sha256').update(content).digest('hex')
    const hash = height.toString(16).padStart(16, '0') + digest.slice(16)
    const block = { height, hash, parentHash, timeMs, transactions }
    this.blocks.push(block)
    return block
  }
}

/** What an observer of these accounts must see in a solidified block. */
export function truthOf(block: EmulatedBlock, accounts: ReadonlySet<string>): ObservedBlock {
  const { height, hash, parentHash, timeMs } = block
  const transfers = height === 0 ? [] : transfersOf(block, accounts)
  const hidden = announcesTo(block, accounts) ? 0 : transfers.filter(({ index }) => index > 0).length
  return {
    height,
    hash,
    parentHash,
    timeMs,
    timeEndMs: timeMs,
    transfers,
    ...(hidden === 0 ? {} : { unannounced: hidden }),
  }
}

/** What they must see of it while it is new: what it announces. */
export function announcedIn(block: EmulatedBlock, accounts: ReadonlySet<string>): ObservedBlock {
  const { unannounced, ...truth } = truthOf(block, accounts)
  if (unannounced === undefined) return truth
  return { ...truth, transfers: truth.transfers.filter(({ index }) => index === 0) }
}

function transfersOf({ transactions }: EmulatedBlock, accounts: ReadonlySet<string>): ObservedTransfer[] {
  return transactions.flatMap(({ id, pays }) =>
    pays
      .filter(({ account }) => accounts.has(account))
      .map(({ account, ...payment }) => ({ txHash: id, toAddress: addressOfAccount(account), ...payment })),
  )
}

function announcesTo({ transactions }: EmulatedBlock, accounts: ReadonlySet<string>): boolean {
  return transactions.some(({ announces }) => announces.some((account) => accounts.has(account)))
}
