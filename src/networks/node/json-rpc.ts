import { isObject } from '../../base/json-object.js'
import { AdaptiveWidth } from '../adaptive-width.js'
import { BadAnswer, isLimitingText, isPerhapsTooLarge, NodeFailure, RateLimited, RpcFailure } from './answer.js'
import { type HttpJson, JSON_DEPTH_MAX } from './http-json.js'

/** The code of a method that a node does not offer: JSON-RPC 2.0, 5.1. */
export const METHOD_NOT_FOUND = -32601
/** Calls in the first batches. */
const BATCH_START = 8
const SMALLEST_BATCH = 2
/** Batches of one query that are in flight together. */
const PARALLEL_BATCHES = 2
/** The error code where a node gives none. */
const NO_CODE = 0
/** The codes of nodes for a client that asks too often, whatever they write. */
const LIMITING_CODES: readonly number[] = [429, -32_029]
const MS_PER_SECOND = 1000

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Calls methods of one node by JSON-RPC 2.0, in batches where the node supports them. Rejects with `NodeFailure`. */
export class JsonRpc {
  private lastId = 0
  private readonly batch: AdaptiveWidth
  /** True once the node has refused the smallest batch whose calls it answered one by one. */
  private isBatchless = false

  constructor(
    private readonly http: HttpJson,
    /** Maximum calls in a batch; 1 for a node without batches. */
    batchMax: number,
  ) {
    this.batch = new AdaptiveWidth(BATCH_START, batchMax)
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
          JSON_DEPTH_MAX,
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

  /** Calls one method. A node's error is an `RpcFailure`. */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const [result] = await this.all([{ method, params }], (answer) => answer)
    return result
  }

  /**
   * Calls many methods, in any order. `take` is called with each result as it comes, so that only what it keeps is
   * kept; what it throws is thrown. Returns its results in the order of the calls. `depthMax` bounds the levels of the
   * answers.
   */
  async all<T>(
    calls: readonly RpcCall[],
    take: (result: unknown, index: number) => T,
    depthMax = JSON_DEPTH_MAX,
  ): Promise<readonly T[]> {
    const taken: T[] = new Array(calls.length)
    let next = 0
    const work = async (): Promise<void> => {
      while (next < calls.length) {
        const first = next
        const part = calls.slice(first, first + this.batchWidth)
        next += part.length
        for (const [i, result] of (await this.send(part, depthMax)).entries())
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
  private async send(calls: readonly RpcCall[], depthMax: number): Promise<readonly unknown[]> {
    try {
      const results = await this.exchange(calls, depthMax)
      if (calls.length >= this.batch.value) this.batch.succeeded()
      return results
    } catch (error) {
      if (calls.length === 1 || !(error instanceof NodeFailure)) throw error
      this.batch.refused(calls.length)
      if (!isPerhapsTooLarge(error)) throw error
      const half = Math.ceil(calls.length / 2)
      const first = await this.send(calls.slice(0, half), depthMax)
      const results = [...first, ...(await this.send(calls.slice(half), depthMax))]
      // Without this every attempt to grow would cost a request. An error of one call says nothing of batches.
      const isOfBatch = error instanceof BatchRefused || !(error instanceof RpcFailure)
      if (calls.length === SMALLEST_BATCH && isOfBatch) this.isBatchless = true
      return results
    }
  }

  private async exchange(calls: readonly RpcCall[], depthMax: number): Promise<readonly unknown[]> {
    const firstId = this.lastId + 1
    this.lastId += calls.length
    const requests = calls.map(({ method, params }, i) => ({ jsonrpc: '2.0', id: firstId + i, method, params }))
    const [only] = requests
    const isBatch = requests.length > 1
    const answer = await this.http.post('', JSON.stringify(isBatch ? requests : only), JSON.parse, depthMax)
    if (!isBatch) return [this.resultOf(answer, firstId)]
    if (!Array.isArray(answer)) {
      // A node that does not take the batch answers with one error instead of a list, or with one call alone.
      throw this.refusalOf(answer)
    }
    const byId = new Map(answer.map((each: unknown) => [isObject(each) ? each['id'] : undefined, each]))
    if (answer.length !== calls.length || byId.size !== calls.length) {
      throw new BadAnswer('a batch is not answered call by call')
    }
    return calls.map((_, i) => this.resultOf(byId.get(firstId + i), firstId + i))
  }

  private resultOf(answer: unknown, id: number): unknown {
    if (!isObject(answer)) throw new BadAnswer('a call is not answered by an object')
    const { error, result } = answer
    if (error !== undefined && error !== null) throw this.failureOf(error)
    if (answer['id'] !== id || result === undefined) throw new BadAnswer('a call has no answer')
    return result
  }

  private refusalOf(answer: unknown): NodeFailure {
    if (!isObject(answer)) return new BadAnswer('a call is not answered by an object')
    const failure = isObject(answer['error']) ? this.failureOf(answer['error']) : null
    return failure instanceof RateLimited
      ? failure
      : new BatchRefused(failure?.message ?? 'it is answered by one result')
  }

  private failureOf(error: unknown): RateLimited | RpcFailure {
    const { code, message, data } = isObject(error) ? error : {}
    const text = typeof message === 'string' ? message : 'no message'
    const number = typeof code === 'number' ? code : NO_CODE
    const shown = this.http.presentable(`error ${number}: ${text}`)
    const isLimiting = LIMITING_CODES.includes(number) || isLimitingText(text)
    return isLimiting ? new RateLimited(shown, askedPauseMs(data)) : new RpcFailure(number, shown)
  }
}

/** A batch as a whole is refused. */
class BatchRefused extends RpcFailure {
  constructor(message: string) {
    super(NO_CODE, `a batch: ${message}`)
  }
}

/** The pause that Infura's errors ask for, in ms; null where there is none. */
function askedPauseMs(data: unknown): number | null {
  const rate = isObject(data) ? data['rate'] : undefined
  const seconds = isObject(rate) ? rate['backoff_seconds'] : undefined
  return typeof seconds === 'number' && seconds > 0 ? seconds * MS_PER_SECOND : null
}
