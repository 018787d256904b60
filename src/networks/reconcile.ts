import type { Intake } from '../actors/intake.js'
import { scan } from '../base/scan.js'
import type { Currency } from '../domain/amount.js'
import { nameOf } from '../domain/aside.js'
import type { BlockHead, ObservedBlock } from '../domain/block.js'
import { currencyOf, type Deposit } from '../domain/deposit.js'
import type { Decimals, Network } from '../domain/network.js'
import type { BlockTime } from '../domain/received-at.js'
import type { Store } from '../store/store.js'
import { compareTransfer, type Difference, repairOf } from './difference.js'
import type { BlockReader } from './retrying-reader.js'

/**
 * Blocks that are compared together, and read again after an interruption. Each such window takes a pass over all
 * deposits of the network, and memory for its transfers.
 */
const WINDOW_BLOCKS = 2000
const DEPOSITS_PAGE = 1000
/** Blocks beside a window that are read because they are of the second in which it begins or ends. */
const EDGE_BLOCKS_MAX = 100

export interface ReconcileOptions {
  readonly reader: BlockReader
  readonly store: Pick<Store, 'deposits' | 'chain' | 'aside'>
  readonly decimals: Decimals
  /** Whether the nodes are asked about a currency: a token that the catalogue has lost is on no chain for them. */
  readonly isRead: (currency: Currency) => boolean
  /** Where repairs go; null to report differences only. */
  readonly intake: Pick<Intake, 'apply' | 'observe'> | null
  /** The first and the last height; the last must be confirmed. */
  readonly from: number
  readonly to: number
  readonly windowBlocks?: number
  /** Called with each difference, before it is repaired. */
  readonly onDifference: (difference: Difference) => void
  readonly onProgress: (progress: ReconcileProgress) => void
  /** Polled between two queries: true ends the work; `next` in the result is where to go on. */
  readonly isStopping: () => boolean
}

/** How far a reconciliation has come. */
export interface ReconcileProgress {
  /** Blocks read. */
  readonly blocks: number
  readonly transfers: number
  readonly differences: number
  /** Reports that had an effect. */
  readonly repaired: number
  /** Blocks that were set aside, could be read now, and are settled. */
  readonly recovered: number
  /** Everything below is compared and, on request, repaired: where to go on after an interruption. */
  readonly next: number
}

type PlacedTime = Pick<BlockHead, 'height'> & BlockTime

/** The range ends above the confirmed blocks. */
export class NotConfirmed extends RangeError {
  override readonly name = 'NotConfirmed'
}

/**
 * Compares a confirmed part of a chain with the store. Rejects with `NotConfirmed`, with `NodeUnavailable`, and when
 * the store or a full mailbox refuses. Repairs made until then stay, and `next` of the last progress is where to go on.
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileProgress> {
  const head = await options.reader.head()
  if (options.to > head.confirmed) {
    throw new NotConfirmed(`block ${options.to} is not confirmed yet; the last confirmed one is ${head.confirmed}`)
  }
  const work = new Reconciliation(options)
  let isWhole = true
  while (isWhole && work.progress.next <= options.to) isWhole = await work.window()
  return work.progress
}

class Reconciliation {
  readonly progress: { -readonly [Field in keyof ReconcileProgress]: number }
  private readonly network: Network
  /** The end of the last block's time compared, Unix milliseconds; null before the first. */
  private comparedUntilMs: number | null = null

  constructor(private readonly options: ReconcileOptions) {
    this.network = options.reader.network
    this.progress = { blocks: 0, transfers: 0, differences: 0, repaired: 0, recovered: 0, next: options.from }
  }

  /** False when it was stopped before the window was done. */
  async window(): Promise<boolean> {
    const { reader, store, to, windowBlocks = WINDOW_BLOCKS, isStopping, onProgress } = this.options
    const first = this.progress.next
    const last = Math.min(to, first + windowBlocks - 1)
    const found: Difference[] = []
    const read: PlacedTime[] = []
    const seen = new Seen()
    const aside = await this.asideOf(first, last)
    const recovered: ObservedBlock[] = []
    for (let from = first; from <= last; from = (read.at(-1)?.height ?? last) + 1) {
      if (isStopping()) return false
      for (const block of await reader.blocks(from, last, await store.chain.watched(this.network))) {
        const { height, timeMs, timeEndMs } = block
        read.push({ height, timeMs, timeEndMs })
        found.push(...(await this.compare(block, seen)))
        if (aside.has(block.height)) recovered.push(block)
      }
      onProgress({ ...this.progress })
    }
    const edges = await this.edgesOf(read, seen)
    found.push(...(await this.unseen(read, seen, edges)))
    for (const difference of found) await this.settle(difference)
    for (const block of recovered) await this.recover(block)
    this.progress.next = last + 1
    onProgress({ ...this.progress })
    return true
  }

  /** The heights of blocks that were set aside. */
  private async asideOf(first: number, last: number): Promise<ReadonlySet<number>> {
    const rows = await this.options.store.aside.blocks(this.network)
    const heights = rows.filter(({ hash }) => hash !== null).map(({ height }) => height)
    return new Set(heights.filter((height) => height >= first && height <= last))
  }

  /** A block that was set aside has been read. What it held is repaired, so nothing is left to ask for. */
  private async recover(block: ObservedBlock): Promise<void> {
    const { intake } = this.options
    if (intake === null) return
    const { status } = await intake.observe({
      type: 'recover',
      network: this.network,
      blocks: [block],
      // What is untold of it was shown.
      isSettled: true,
    })
    if (status === 'applied') this.progress.recovered += 1
  }

  private async compare(block: ObservedBlock, seen: Seen): Promise<readonly Difference[]> {
    seen.add(block)
    const { height, untold } = block
    const found: Difference[] = (untold?.txHashes ?? []).map((txHash) => {
      return { type: 'untold', height, txHash, reason: untold?.reason ?? '' }
    })
    for (const transfer of block.transfers) {
      const deposit = await this.options.store.deposits.find(this.network, transfer.txHash, transfer.index)
      const difference = compareTransfer(this.network, block, transfer, deposit, this.options.decimals)
      if (difference !== null) found.push(difference)
    }
    this.progress.blocks += 1
    this.progress.transfers += block.transfers.length
    return found
  }

  /**
   * Reads the blocks beside a window that are of its first or last second, where blocks come that fast or a development node
   * is hasty. Their transfers count as seen. Answers the times of these seconds: a deposit that none of the blocks holds may
   * still be of one that is not known.
   */
  private async edgesOf(read: readonly PlacedTime[], seen: Seen): Promise<ReadonlySet<number>> {
    const { reader, store } = this.options
    const watched = await store.chain.watched(this.network)
    const edges = new Set<number>()
    // The window before has compared its last second as a whole.
    const before = this.comparedUntilMs === null ? [{ edge: read[0], by: -1 }] : []
    for (const { edge, by } of [...before, { edge: read.at(-1), by: 1 }]) {
      if (edge === undefined) continue
      for (let n = 1; n <= EDGE_BLOCKS_MAX && edge.height + n * by >= 0; n += 1) {
        const block = await reader.block(edge.height + n * by, watched)
        if (block !== null && block.timeMs !== edge.timeMs) break
        for (const timeMs of certainTimes(edge)) edges.add(timeMs)
        if (block === null) break
        seen.add(block)
      }
    }
    return edges
  }

  /**
   * Deposits with a time of these blocks that none of them holds, at watched addresses only: others are not read from
   * chains.
   */
  private async unseen(
    read: readonly PlacedTime[],
    seen: Seen,
    edges: ReadonlySet<number>,
  ): Promise<readonly Difference[]> {
    const heights = new Map(read.flatMap((block) => certainTimes(block).map((timeMs) => [timeMs, block.height])))
    // The time between two windows belongs to the second.
    const first = this.comparedUntilMs === null ? (read[0]?.timeMs ?? 0) : this.comparedUntilMs + 1
    const last = read.at(-1)?.timeEndMs ?? 0
    this.comparedUntilMs = last
    const watched = await this.options.store.chain.watched(this.network)
    const found: Difference[] = []
    for await (const deposit of this.deposits()) {
      const { kind, receivedAt, toAddress } = deposit
      if (kind === 'dropped' || receivedAt < first || receivedAt > last) continue
      if (seen.has(deposit) || !watched.has(toAddress)) continue
      const height = edges.has(receivedAt) ? undefined : heights.get(receivedAt)
      const isPlaced = height !== undefined && this.isRead(deposit)
      found.push(isPlaced ? { type: 'not_on_chain', height, deposit } : { type: 'unplaced', deposit })
    }
    return found
  }

  private isRead(deposit: Deposit): boolean {
    const currency = currencyOf(deposit, this.options.decimals)
    return currency === null || this.options.isRead(currency)
  }

  private async *deposits(): AsyncGenerator<Deposit> {
    const { deposits } = this.options.store
    const pages = scan((after) => deposits.page(this.network, { after, limit: DEPOSITS_PAGE }))
    for await (const { items } of pages) yield* items
  }

  private async settle(difference: Difference): Promise<void> {
    const { intake, onDifference } = this.options
    this.progress.differences += 1
    onDifference(difference)
    const events = repairOf(difference).map((one) => ({ eventId: null, fact: { type: 'deposit' as const, ...one } }))
    if (intake === null || events.length === 0) return
    const outcomes = await intake.apply(events)
    if (outcomes.some(({ status }) => status === 'applied')) this.progress.repaired += 1
  }
}

/**
 * Times that a deposit has from its block: the end of the second, or its beginning, which earlier versions recorded. Any other
 * moment of the second may be one at which another source saw a deposit of another block.
 */
function certainTimes({ timeMs, timeEndMs }: BlockTime): readonly number[] {
  return [timeMs, timeEndMs]
}

/** The deposits that some blocks hold, or may hold. */
class Seen {
  private readonly names = new Set<string>()
  private readonly untold = new Set<string>()

  add({ transfers, untold }: ObservedBlock): void {
    for (const transfer of transfers) this.names.add(nameOf(transfer))
    for (const txHash of untold?.txHashes ?? []) this.untold.add(txHash)
  }

  has(deposit: Deposit): boolean {
    return this.names.has(nameOf(deposit)) || this.untold.has(deposit.txHash)
  }
}
