import type { ObservedBlock, WatchedAddresses } from '../../domain/block.js'
import type { Network } from '../../domain/network.js'
import type { Scheduler } from '../../scheduler.js'
import { type ChainHead, type EndpointHealth, type NetworkReader, NodeUnavailable } from '../network-reader.js'

const PAUSE_MIN_MS = 1000
const PAUSE_MAX_MS = 60_000
/** Attempts at one question: together their pauses are more than three minutes, so that a rate limit or a restart passes. */
const ATTEMPTS_MAX = 9

export interface PatientReaderOptions {
  readonly reader: NetworkReader
  readonly scheduler: Scheduler
  /** Ends the pauses: then the failure of the last attempt is passed on at once. */
  readonly stop: AbortSignal
}

/**
 * A reader for work that would have to begin anew after a failure: while no node answers, each question is put again after
 * a pause, some minutes long, and only then fails as the reader does.
 */
export class RetryingReader implements NetworkReader {
  readonly network: Network

  constructor(private readonly options: PatientReaderOptions) {
    this.network = options.reader.network
  }

  verify(): Promise<void> {
    return this.ask((reader) => reader.verify())
  }

  head(): Promise<ChainHead> {
    return this.ask((reader) => reader.head())
  }

  block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    return this.ask((reader) => reader.block(height, watched))
  }

  blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    return this.ask((reader) => reader.blocks(from, to, watched))
  }

  endpoints(): readonly EndpointHealth[] {
    return this.options.reader.endpoints()
  }

  close(): Promise<void> {
    return this.options.reader.close()
  }

  private async ask<T>(question: (reader: NetworkReader) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await question(this.options.reader)
      } catch (error) {
        if (!(error instanceof NodeUnavailable) || attempt === ATTEMPTS_MAX || this.options.stop.aborted) throw error
        await this.pause(Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** (attempt - 1)))
      }
    }
  }

  private async pause(ms: number): Promise<void> {
    const { scheduler, stop } = this.options
    await new Promise<void>((resolve) => {
      const finish = () => {
        cancel()
        stop.removeEventListener('abort', finish)
        resolve()
      }
      const cancel = scheduler.after(ms, finish)
      stop.addEventListener('abort', finish)
    })
  }
}
