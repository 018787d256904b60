import type { Clock } from '../clock.js'
import type { BlockHead } from '../domain/block.js'
import type { Logger } from '../log.js'
import type { ChainPort } from '../store/chain.js'
import type { DepositPort } from '../store/deposits.js'
import { firstBlockSince, newestBlock } from './first-block.js'
import { type NetworkReader, NodeUnavailable, problemOf } from './network-reader.js'

/** Where a new watcher begins: at a height, or where the network stood when it was first watched, or had its first wallet. */
export type StartHeight = number | 'latest'

/**
 * Blocks may be dated back: by producers with slow clocks, and where a sequencer makes up for a pause. So much earlier blocks are
 * read too.
 */
const DATED_BACK_MAX_MS = 10 * 60_000
/** Heads that are told so soon after a network is first watched show where it stood then. */
const PROMPT_MS = 60_000
/** A block that no node gives for so long, while they tell their heads, is taken for one that they no longer have. */
const REFUSED_MAX_MS = 60_000
/** Behind a balancer the machine that tells the head may never be the one that is asked for its block: the block is waited for. */
const AWAITED_BLOCKS_MAX = 128
const MS_PER_SECOND = 1000

export interface BeginningOptions {
  readonly reader: Pick<NetworkReader, 'network' | 'timeOf'>
  readonly chain: Pick<ChainPort, 'watch'>
  readonly deposits: Pick<DepositPort, 'page'>
  readonly clock: Clock
  readonly log: Logger
  readonly start: StartHeight
}

/** Since when payments may have been sent, and how that is known. */
interface Since {
  readonly sinceMs: number
  readonly because: string
}

interface Found extends Partial<Since> {
  readonly height: number
  /** The time of the oldest block that the nodes have, where payments may be in older ones. */
  readonly prunedMs: number | null
  /** Blocks that are missing, where that is known. */
  readonly missing?: number
}

/** Finds the block with which the watching of a network begins. */
export class Beginning {
  private found: Found | null = null
  private historyFrom: number | null = null
  /** The confirmed block that was not there yet. */
  private awaited: number | null = null
  /** The block that was asked for in vain, and since when blocks have been. */
  private refused: { readonly height: number; readonly sinceMs: number } | null = null
  /** The highest block that is taken for one that the nodes no longer have. */
  private goneTo = -1
  /** The times that were told of blocks: a search in which a query has failed goes on with them, from the same block. */
  private readonly times = new Map<number, number>()

  constructor(private readonly options: BeginningOptions) {}

  /** The height; null while there is no such block. */
  async find(confirmed: number): Promise<number | null> {
    const { start } = this.options
    this.found ??= start === 'latest' ? await this.search(confirmed) : { height: start, prunedMs: null }
    if (this.found === null || this.found.height > confirmed) return null
    return this.found.height
  }

  /**
   * Call it when the blocks from there on cannot be read. Where the nodes no longer have them, the oldest ones that they have are the
   * first: but only when they say so twice, since a node that fails for a moment must not shorten the history.
   */
  async failed(error: unknown): Promise<void> {
    const from = problemOf(error)?.historyFrom ?? null
    if (this.options.start !== 'latest' || this.found === null || from === null || from <= this.found.height) return
    const before = this.historyFrom
    this.historyFrom = from
    if (before === null) return
    const height = Math.min(before, from)
    const prunedMs = await this.options.reader.timeOf(height)
    if (prunedMs === null) return
    this.found = { ...this.found, height, prunedMs, missing: height - this.found.height }
  }

  /** Call it with the first block when it was read. */
  began({ height, timeMs }: BlockHead, confirmed: number): void {
    const { log, reader } = this.options
    const { sinceMs, because = 'the settings name it', prunedMs = null, missing } = this.found ?? {}
    const since = sinceMs === undefined ? {} : { since: dateOf(sinceMs) }
    const about = { network: reader.network, block: height, time: dateOf(timeMs), because, ...since, confirmed }
    log.info(about, 'begins to watch a network')
    if (prunedMs === null || sinceMs === undefined || prunedMs <= sinceMs) return
    log.warn(
      {
        network: reader.network,
        before: height,
        blocks: missing,
        seconds: Math.ceil((prunedMs - sinceMs) / MS_PER_SECOND),
      },
      'the nodes no longer have the first blocks that may hold payments: run "billhook reconcile" for these with a node that has them',
    )
  }

  private async search(confirmed: number): Promise<Found | null> {
    const { chain, deposits, reader, clock } = this.options
    const { network } = reader
    const { watchedAt, firstWalletAt } = await chain.watch(network)
    if (watchedAt === null) throw new Error('a network is watched and it is not known since when')
    // What was reported by another source before must not be read too: it might count twice.
    const isReported = (await deposits.page(network, { after: null, limit: 1 })).items.length > 0
    const isOlder = firstWalletAt !== null && firstWalletAt < watchedAt && !isReported
    const since: Since = isOlder
      ? { sinceMs: firstWalletAt, because: 'its first wallet became known then' }
      : { sinceMs: watchedAt, because: 'it was first watched then' }
    const searchedMs = since.sinceMs - (isReported ? 0 : DATED_BACK_MAX_MS)
    const newest = this.newestOf(confirmed)
    const timeOf = async (height: number) => {
      const known = this.times.get(height)
      if (known !== undefined) return known
      const timeMs = await (height === newest ? reader.timeOf(height) : this.timeIfKept(height))
      if (timeMs !== null) this.times.set(height, timeMs)
      return timeMs
    }
    // The head was told before this, so a network without a wallet has received nothing up to it: older blocks do not matter.
    const isNew = firstWalletAt === null && !isReported && Math.abs(clock.now() - watchedAt) <= PROMPT_MS
    const first = isNew ? await newestBlock(timeOf, newest) : await firstBlockSince(timeOf, newest, searchedMs)
    this.awaited = first === null ? newest : null
    if (first === null) return null
    return { ...since, height: first.height, prunedMs: first.isPruned ? first.timeMs : null }
  }

  /** The block that counts as the newest confirmed one: that which was not there the last time, as long as it is not old. */
  private newestOf(confirmed: number): number {
    const { awaited, times } = this
    const searched = Math.max(...times.keys())
    if (times.size > 0 && searched <= confirmed) return searched
    times.clear()
    return awaited === null || confirmed - awaited > AWAITED_BLOCKS_MAX ? confirmed : Math.min(awaited, confirmed)
  }

  /** The time of an old block. Nodes word in too many ways that they do not give blocks as old as that. */
  private async timeIfKept(height: number): Promise<number | null> {
    const { reader, clock } = this.options
    if (height <= this.goneTo) return null
    try {
      const timeMs = await reader.timeOf(height)
      if (this.refused?.height === height) this.refused = null
      return timeMs
    } catch (error) {
      // A node that is left alone after that has not refused another block.
      if (!(error instanceof NodeUnavailable) || error.refusal?.isEarlier === true) throw error
      this.refused = { height, sinceMs: this.refused?.sinceMs ?? clock.now() }
      if (clock.now() - this.refused.sinceMs < REFUSED_MAX_MS) throw error
      this.goneTo = height
      return null
    }
  }
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString()
}
