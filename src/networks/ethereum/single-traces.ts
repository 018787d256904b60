import { BoundedMap } from '../../base/bounded-map.js'
import type { Clock } from '../../clock.js'
import type { ObservedTransfer } from '../../domain/block.js'
import { HttpFailure, limitOf, NodeFailure } from '../node/answer.js'
import type { JsonRpc, RpcCall } from '../node/json-rpc.js'
import { Shortcomings, SLOW_TRIED_AGAIN_MS } from '../node/shortcomings.js'
import type { EthereumFilter } from './filter.js'
import { frameShape, readTrace } from './traces.js'

export const TRACER = { tracer: 'callTracer' }
/** How often a trace may be refused for its rate: some nodes refuse one at every pace that costs more than they allow. */
export const REFUSALS_MAX = 3
/** Traces that are asked for each by itself at once: as many as there are connections to a node. */
const AT_ONCE = 4
/** So few are asked for each by itself from the beginning, so that none waits for another one. */
const FEW = 16
/** Batches that may fail before what is left is asked for each by itself. */
const FAILED_BATCHES_MAX = 2
/** When so many transactions were not traced, the node is not asked for the others of the same query. They come later. */
const FAILURES_MAX = 4
/** Transactions that are remembered because the node did not trace them. */
const FAILED_MAX = 1000

/** What a transaction sends by contracts, or why the node does not tell. */
export type TraceEnd = readonly ObservedTransfer[] | NodeFailure

/**
 * Traces transactions one by one. Anybody can send one that takes longer to trace than a node ever gives it, so the failure of one
 * costs the others nothing, and it is not asked for again for a while.
 */
export class SingleTraces {
  private readonly failed: Shortcomings<string>
  /** At least of all that `failed` remembers. */
  private readonly failures = new BoundedMap<string, NodeFailure>(2 * FAILED_MAX)

  constructor(
    private readonly rpc: Pick<JsonRpc, 'all' | 'batchWidth'>,
    clock: Clock,
  ) {
    this.failed = new Shortcomings(clock, FAILED_MAX)
  }

  /** What came of each, in order. Rejects when the node refuses its client for the rate. */
  async of(hashes: readonly string[], filter: EthereumFilter): Promise<readonly TraceEnd[]> {
    const ends = new Map<number, TraceEnd>()
    for (const [place, hash] of hashes.entries()) {
      const failure = this.failed.has(hash) ? this.failures.get(hash) : undefined
      if (failure !== undefined) ends.set(place, failure)
    }
    const ask = async (places: readonly number[]): Promise<void> => {
      const calls = places.map((place) => transactionCall(hashes[place] as string))
      const take = (frame: Parameters<typeof readTrace>[0], i: number): void => {
        const place = places[i] as number
        ends.set(place, readTrace(frame, hashes[place] as string, filter))
      }
      await this.rpc.all(calls, frameShape(filter), take, REFUSALS_MAX)
    }
    const left = () => [...hashes.keys()].filter((place) => !ends.has(place))
    if (left().length > FEW) await this.inBatches(left(), ask)
    await alone(left(), ask, ends)
    return hashes.map((_, place) => ends.get(place) as TraceEnd)
  }

  /** Notes that the node answers otherwise, and does not trace this transaction. */
  note(hash: string, failure: NodeFailure): void {
    if (this.failed.has(hash)) return
    this.failed.note(hash, isTimeout(failure) ? SLOW_TRIED_AGAIN_MS : undefined)
    this.failures.set(hash, failure)
  }

  private async inBatches(places: readonly number[], ask: (some: readonly number[]) => Promise<void>): Promise<void> {
    let failures = 0
    for (let from = 0; from < places.length && failures < FAILED_BATCHES_MAX; ) {
      const width = 2 * this.rpc.batchWidth
      if ((await failureOf(() => ask(places.slice(from, from + width)))) !== null) failures += 1
      from += width
    }
  }
}

async function alone(
  places: readonly number[],
  ask: (some: readonly number[]) => Promise<void>,
  ends: Map<number, TraceEnd>,
): Promise<void> {
  const left = places.values()
  const failures: NodeFailure[] = []
  const work = async (): Promise<void> => {
    for (const place of left) {
      const isEnough = failures.length >= FAILURES_MAX
      const failure = isEnough ? (failures[0] ?? null) : await failureOf(() => ask([place]))
      if (failure === null) continue
      ends.set(place, failure)
      if (!isEnough) failures.push(failure)
    }
  }
  // They share what is left.
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

export function isTimeout(failure: NodeFailure): boolean {
  return failure instanceof HttpFailure && failure.reason === 'timeout'
}

/** Null when it succeeds. Throws a refusal for the rate, which refuses every other call too. */
export async function failureOf(work: () => Promise<unknown>): Promise<NodeFailure | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof NodeFailure && limitOf(error) === null) return error
    throw error
  }
}

export function transactionCall(txHash: string): RpcCall {
  return { method: 'debug_traceTransaction', params: [txHash, TRACER] }
}
