import { type BackOff, backOffMs } from '../base/back-off.js'
import { pause, type Scheduler } from '../scheduler.js'
import { type NetworkReader, NodeUnavailable } from './network-reader.js'

const PAUSES: BackOff = { firstMs: 1000, maxMs: 60_000 }
/** Attempts at one query. Their pauses are more than three minutes in all, so that a rate limit or a restart passes. */
const ATTEMPTS_MAX = 9

/** The part of a reader that reads blocks. */
export type BlockReader = Pick<NetworkReader, 'network' | 'head' | 'block' | 'blocks'>

/**
 * A reader for work that would have to start over after a failure: while no node answers, it retries each query for
 * some minutes, and only then fails. `stop` ends the pauses: then the last failure is passed on at once.
 */
export function retrying(reader: BlockReader, scheduler: Scheduler, stop: AbortSignal): BlockReader {
  async function retry<T>(query: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await query()
      } catch (error) {
        if (!(error instanceof NodeUnavailable) || attempt === ATTEMPTS_MAX || stop.aborted) throw error
        await pause(scheduler, backOffMs(attempt, PAUSES), stop)
      }
    }
  }

  return {
    network: reader.network,
    head: () => retry(() => reader.head()),
    block: (height, watched) => retry(() => reader.block(height, watched)),
    blocks: (from, to, watched) => retry(() => reader.blocks(from, to, watched)),
  }
}
