import { type BackOff, backOffMs } from '../../base/back-off.js'
import type { ObservedBlock, WatchedAddresses } from '../../domain/block.js'
import type { Network } from '../../domain/network.js'
import { pause, type Scheduler } from '../../scheduler.js'
import { type ChainHead, type EndpointHealth, type NetworkReader, NodeUnavailable } from '../network-reader.js'

const PAUSES: BackOff = { firstMs: 1000, maxMs: 60_000 }
/** Attempts at one query. Their pauses are more than three minutes in all, so that a rate limit or a restart passes. */
const ATTEMPTS_MAX = 9

export interface RetryingReaderOptions {
  readonly reader: NetworkReader
  readonly scheduler: Scheduler
  /** Ends the pauses: then the last failure is passed on at once. */
  readonly stop: AbortSignal
}

/**
 * A reader for work that would have to start over after a failure: while no node answers, it retries each query for
 * some minutes, and only then fails.
 */
export class RetryingReader implements NetworkReader {
  readonly network: Network

  constructor(private readonly options: RetryingReaderOptions) {
    this.network = options.reader.network
  }

  verify(): Promise<void> {
    return this.query((reader) => reader.verify())
  }

  head(): Promise<ChainHead> {
    return this.query((reader) => reader.head())
  }

  block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    return this.query((reader) => reader.block(height, watched))
  }

  blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    return this.query((reader) => reader.blocks(from, to, watched))
  }

  endpoints(): readonly EndpointHealth[] {
    return this.options.reader.endpoints()
  }

  close(): Promise<void> {
    return this.options.reader.close()
  }

  private async query<T>(query: (reader: NetworkReader) => Promise<T>): Promise<T> {
    const { reader, scheduler, stop } = this.options
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await query(reader)
      } catch (error) {
        if (!(error instanceof NodeUnavailable) || attempt === ATTEMPTS_MAX || stop.aborted) throw error
        await pause(scheduler, backOffMs(attempt, PAUSES), stop)
      }
    }
  }
}
