import type { Clock } from '../clock.js'
import type { ChainPosition } from '../domain/block.js'
import type { Network } from '../domain/network.js'
import type { Logger } from '../log.js'
import type { AgedHead, NodeRefusal, Problem } from './network-reader.js'

/** A network that does not get past a block for so long, while its nodes have new ones, stands. */
export const STANDING_MS = 60_000
/** Catching up on more time than so many polls take is worth a line. */
const POLLS_BEHIND = 2
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
  /** The age of the last recorded block; before the first, the time since the network was first watched. */
  readonly lagMs: number
  /** The block that it has not got past for long although its nodes have new ones, and for how long; null while it moves. */
  readonly standing: { readonly block: number; readonly ms: number } | null
  /** For how long no attempt has succeeded; 0 after one that has. */
  readonly unreadMs: number
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
  /** What a node answered in that attempt. */
  readonly refusal: NodeRefusal | null
  /** What is wrong until somebody acts; null when nothing is. */
  readonly problem: Problem | null
  /** Blocks that are set aside: their deposits are not known yet. */
  readonly blocksSetAside: number
}

interface Recorded extends Omit<WatcherState, 'lagBlocks' | 'lagMs' | 'standing' | 'unreadMs'> {
  /** Since when the network has been watched, Unix ms: this process has, until the store tells. */
  readonly watchedAt: number
  /** When an attempt succeeded the last time, Unix ms; the start of the process before the first. */
  readonly succeededAtMs: number
  /** When it got on the last time, or had all that there was, and the newest block then. */
  readonly moved: { readonly atMs: number; readonly latest: number } | null
}

/** What a watcher writes down. */
export type WatcherRecord = { -readonly [Field in keyof Recorded]: Recorded[Field] }

export function emptyRecord(network: Network, nowMs: number): WatcherRecord {
  return {
    network,
    watchedAt: nowMs,
    succeededAtMs: nowMs,
    head: null,
    position: null,
    moved: null,
    reorganisations: 0,
    confirmedBlocksUndone: 0,
    repaired: 0,
    datedBeforeInvoice: 0,
    failures: 0,
    lastError: null,
    refusal: null,
    problem: null,
    blocksSetAside: 0,
  }
}

export function stateOf({ watchedAt, moved, succeededAtMs, ...record }: WatcherRecord, clock: Clock): WatcherState {
  const { head, position } = record
  const tip = position?.tip ?? null
  const nowMs = clock.now()
  return {
    ...record,
    lagBlocks: head === null || tip === null ? null : Math.max(0, head.latest - tip.height),
    lagMs: Math.max(0, nowMs - (tip?.timeMs ?? watchedAt)),
    standing: standingOf(record, moved, nowMs),
    unreadMs: record.failures === 0 ? 0 : Math.max(0, nowMs - succeededAtMs),
  }
}

function standingOf(
  { head, position }: Pick<Recorded, 'head' | 'position'>,
  moved: Recorded['moved'],
  nowMs: number,
): WatcherState['standing'] {
  if (head === null || position === null || moved === null) return null
  const ms = nowMs - moved.atMs
  if (ms < STANDING_MS || head.latest <= moved.latest) return null
  const { tip, confirmed } = position
  return { block: (confirmed < Math.min(head.confirmed, tip.height) ? confirmed : tip.height) + 1, ms }
}

/** Notes that the watcher got on, or that there is nothing more to read; otherwise it stays where it was. */
export function noteMoved(record: WatcherRecord, hasMoved: boolean, nowMs: number): void {
  const { head, position } = record
  if (head === null || position === null) return
  const isThere = head.latest <= position.tip.height && head.confirmed <= position.confirmed
  if (hasMoved || isThere || record.moved === null) record.moved = { atMs: nowMs, latest: head.latest }
}

/** Logs the progress of a watcher that is behind. */
export class CatchUpLog {
  private since: { readonly atMs: number; readonly height: number } | null = null
  private from = { height: 0, timeMs: 0 }

  constructor(
    private readonly record: WatcherRecord,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly pollMs: number,
  ) {}

  /** Call it whenever something was recorded. */
  update(): void {
    const { network, head, position } = this.record
    if (head === null || position === null) return
    const now = this.clock.now()
    const { height, timeMs } = position.tip
    const remaining = head.confirmed - height
    if (remaining <= 0) {
      const isWorthALine = this.since !== null && timeMs - this.from.timeMs > POLLS_BEHIND * this.pollMs
      if (isWorthALine) this.log.info({ network, blocks: height - this.from.height, block: height }, 'has caught up')
      this.since = null
      return
    }
    if (this.since === null) {
      this.since = { atMs: now, height }
      this.from = { height, timeMs }
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
