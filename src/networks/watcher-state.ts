import type { Clock } from '../clock.js'
import type { ChainPosition } from '../domain/block.js'
import type { Network } from '../domain/network.js'
import type { Logger } from '../log.js'
import type { AgedHead, Problem } from './network-reader.js'

/** Pause between two progress lines. */
const CATCH_UP_LOG_MS = 10_000

/** The state of a watcher, for metrics and health. Counts are since the start of the process. */
export interface WatcherState {
  readonly network: Network
  /** The last report of a node; null before the first. */
  readonly head: AgedHead | null
  /** The last recorded block, and how far blocks are confirmed; null before the first. */
  readonly position: ChainPosition | null
  /** Blocks up to the head that are not recorded; null while either is unknown. */
  readonly lagBlocks: number | null
  /** The age of the last recorded block; null before the first. */
  readonly lagMs: number | null
  readonly reorganisations: number
  readonly confirmedBlocksUndone: number
  /** Transfers that differed from the first reading when their block was confirmed. */
  readonly repaired: number
  /** Deposits in blocks dated before an invoice that they would else have paid, though first seen after it. */
  readonly datedBeforeInvoice: number
  /** Failed attempts in a row. */
  readonly failures: number
  /** Why the last attempt failed; null when it succeeded. */
  readonly lastError: string | null
  /** What is wrong until somebody acts; null when nothing is. */
  readonly problem: Problem | null
}

type Recorded = Omit<WatcherState, 'lagBlocks' | 'lagMs'>

/** What a watcher writes down. */
export type WatcherRecord = { -readonly [Field in keyof Recorded]: Recorded[Field] }

export function emptyRecord(network: Network): WatcherRecord {
  return {
    network,
    head: null,
    position: null,
    reorganisations: 0,
    confirmedBlocksUndone: 0,
    repaired: 0,
    datedBeforeInvoice: 0,
    failures: 0,
    lastError: null,
    problem: null,
  }
}

export function stateOf(record: WatcherRecord, clock: Clock): WatcherState {
  const { head, position } = record
  const tip = position?.tip ?? null
  return {
    ...record,
    lagBlocks: head === null || tip === null ? null : Math.max(0, head.latest - tip.height),
    lagMs: tip === null ? null : Math.max(0, clock.now() - tip.timeMs),
  }
}

/** Logs the progress of a watcher that is behind. */
export class CatchUpLog {
  private since: { readonly atMs: number; readonly height: number } | null = null
  private from = 0

  constructor(
    private readonly record: WatcherRecord,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Call it whenever something was recorded. */
  update(): void {
    const { network, head, position } = this.record
    if (head === null || position === null) return
    const now = this.clock.now()
    const { height } = position.tip
    const remaining = head.confirmed - height
    if (remaining <= 0) {
      if (this.since !== null) this.log.info({ network, blocks: height - this.from, block: height }, 'has caught up')
      this.since = null
      return
    }
    if (this.since === null) {
      this.since = { atMs: now, height }
      this.from = height
      return
    }
    const elapsedMs = now - this.since.atMs
    if (elapsedMs >= 0 && elapsedMs < CATCH_UP_LOG_MS) return
    const blocksPerSecond = Math.round(((height - this.since.height) * 1000) / Math.max(1, elapsedMs))
    const about = { network, block: height, confirmed: head.confirmed, remaining, blocksPerSecond }
    this.log.info(about, 'is catching up')
    this.since = { atMs: now, height }
  }
}
