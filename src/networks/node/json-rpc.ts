import { AdaptiveWidth } from '../adaptive-width.js'
import { failedAt, HttpFailure, limitOf, mayDoOtherwise, NodeFailure, RpcFailure } from './answer.js'
import type { HttpJson } from './http-json.js'
import { answersOf, BatchRefused, PartlyRefused, RpcAnswers } from './json-rpc-answer.js'
import { type Scalar, type Shape, scalar } from './json-shape.js'

/** Calls in the first batches. */
const BATCH_START = 8
const SMALLEST_BATCH = 2
/** Batches of one query that are in flight together. */
const PARALLEL_BATCHES = 2

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Calls methods of one node by JSON-RPC 2.0, in batches where the node supports them. Rejects with `NodeFailure`. */
export class JsonRpc {
  private lastId = 0
  private readonly batch: AdaptiveWidth
  private readonly answers: RpcAnswers
  /** True once the node has refused the smallest batch whose calls it answered one by one. */
  private isBatchless = false

  constructor(
    private readonly http: HttpJson,
    /** Maximum calls in a batch; 1 for a node without batches. */
    batchMax: number,
  ) {
    this.batch = new AdaptiveWidth(BATCH_START, batchMax)
    this.answers = new RpcAnswers((words) => http.presentable(words))
  }

  /** Whether the node answers batches, as far as it has shown; it is found out again after `forget`. */
  get takesBatches(): boolean {
    return !this.isBatchless
  }

  /** The largest batch that the node is given now. */
  get batchWidth(): number {
    return this.isBatchless ? 1 : this.batch.value
  }

  /** The largest batch of a call, up to a number, that the node answers: 1 when it takes none. */
  async largestBatch(call: RpcCall, max: number): Promise<number> {
    for (let width = max; width > 1; width = Math.floor(width / 2)) {
      try {
        await this.exchange(
          Array.from({ length: width }, () => call),
          scalar,
        )
        return width
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error
      }
    }
    return 1
  }

  /** Forgets that the node refused batches: it may be another one by now. */
  forget(): void {
    this.isBatchless = false
  }

  /** Calls one method, and returns what a shape reads of its result. A node's error is an `RpcFailure`. */
  async call<T = Scalar | undefined>(method: string, params: readonly unknown[], shape?: Shape<T>): Promise<T> {
    const [result] = await this.all([{ method, params }], shape ?? (scalar as Shape<T>), (answer) => answer)
    return result as T
  }

  /**
   * Calls many methods, in any order, and reads a shape of each result. `take` is called with each as it comes, so that only
   * what it keeps is kept; what it throws is thrown. Returns its results in the order of the calls. A single call that is
   * refused for its rate so many times as `refusalsMax` is given up with `RefusedAgain`.
   */
  async all<T, R>(
    calls: readonly RpcCall[],
    shape: Shape<T>,
    take: (result: T, index: number) => R,
    refusalsMax?: number,
  ): Promise<readonly R[]> {
    const taken: R[] = new Array(calls.length)
    let next = 0
    const work = async (): Promise<void> => {
      while (next < calls.length) {
        const first = next
        const part = calls.slice(first, first + this.batchWidth)
        next += part.length
        for (const [i, result] of (await this.send(part, shape, refusalsMax)).entries())
          taken[first + i] = take(result, first + i)
      }
    }
    try {
      await Promise.all(Array.from({ length: PARALLEL_BATCHES }, work))
    } catch (error) {
      // The results of the other batches are not needed.
      next = calls.length
      throw error
    }
    return taken
  }

  /** The results of a few calls, in order. When the node refuses them together, they are sent in halves. */
  private async send<T>(calls: readonly RpcCall[], shape: Shape<T>, refusalsMax?: number): Promise<readonly T[]> {
    try {
      const results = await this.exchange(calls, shape, refusalsMax)
      // Where each call of a batch counts, one that has grown is refused at every pace.
      const mayGrow = !Number.isFinite(this.http.pacer.callsPerSecond)
      if (calls.length >= this.batch.value) this.batch.succeeded(mayGrow)
      return results
    } catch (error) {
      if (calls.length === 1 || !(error instanceof NodeFailure)) throw error
      const isTooLarge = this.batch.refused(calls.length)
      if (error instanceof PartlyRefused) return await this.completed(calls, error.results, shape, refusalsMax)
      // A node that is too slow is asked for less the next time: halves of halves would each take as long.
      const isSlow = error instanceof HttpFailure && error.reason === 'timeout'
      const isLimited = limitOf(error) !== null
      if (isSlow || !(isLimited || mayDoOtherwise(error))) throw error
      const results = await this.inParts(calls, shape, refusalsMax)
      // Without this every attempt to grow would cost a request. An error of one call says nothing of batches.
      const isOfBatch = error instanceof BatchRefused || !(isLimited || error instanceof RpcFailure)
      if (isTooLarge && calls.length === SMALLEST_BATCH && isOfBatch) this.isBatchless = true
      return results
    }
  }

  /** Calls again what the node has refused for its rate, and keeps the other results. */
  private async completed<T>(
    calls: readonly RpcCall[],
    results: PartlyRefused['results'],
    shape: Shape<T>,
    refusalsMax?: number,
  ): Promise<readonly T[]> {
    const refused = calls.filter((_, i) => results[i] === null)
    const again = [...(await this.inParts(refused, shape, refusalsMax))]
    return results.map((result) => (result === null ? again.shift() : result.value) as T)
  }

  /** Sends a refused batch in two; in smaller parts once a part was refused for the rate, since a limit may count each call. */
  private async inParts<T>(calls: readonly RpcCall[], shape: Shape<T>, refusalsMax?: number): Promise<readonly T[]> {
    const half = Math.ceil(calls.length / 2)
    const results: T[] = []
    while (results.length < calls.length) {
      const isLimited = Number.isFinite(this.http.pacer.callsPerSecond)
      const width = isLimited ? Math.min(half, this.batchWidth) : half
      const part = calls.slice(results.length, results.length + width)
      results.push(...(await this.send(part, shape, refusalsMax)))
    }
    return results
  }

  /**
   * The results of one request. What is null is asked for once more: behind one address there may be several machines, of which
   * one is behind.
   */
  private async exchange<T>(calls: readonly RpcCall[], shape: Shape<T>, refusalsMax?: number): Promise<readonly T[]> {
    const results = await this.turn(calls, shape, refusalsMax)
    const absent = calls.filter((_, i) => results[i] === null)
    if (absent.length === 0) return results
    const again = [...(await this.turn(absent, shape, refusalsMax))]
    return results.map((result) => (result === null ? (again.shift() as T) : result))
  }

  private async turn<T>(calls: readonly RpcCall[], shape: Shape<T>, refusalsMax?: number): Promise<readonly T[]> {
    try {
      return await this.http.pacer.call(() => this.ask(calls, shape), calls.length > 1, refusalsMax)
    } catch (error) {
      throw failedAt(calls[0]?.method ?? '', error)
    }
  }

  private async ask<T>(calls: readonly RpcCall[], shape: Shape<T>): Promise<readonly T[]> {
    const firstId = this.lastId + 1
    this.lastId += calls.length
    const requests = calls.map(({ method, params }, i) => ({ jsonrpc: '2.0', id: firstId + i, method, params }))
    const [only] = requests
    const isBatch = requests.length > 1
    const answer = await this.http
      .post('', JSON.stringify(isBatch ? requests : only), answersOf(shape, calls.length))
      .catch((error: unknown) => Promise.reject(this.answers.withinHttp(error, isBatch)))
    return this.answers.of(answer, firstId, calls.length)
  }
}
