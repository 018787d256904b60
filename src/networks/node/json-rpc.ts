import { isObject } from '../../base/json-object.js'
import { AdaptiveWidth } from '../adaptive-width.js'
import {
  BadAnswer,
  failedAt,
  HttpFailure,
  limitOf,
  mayDoOtherwise,
  NodeFailure,
  RateLimited,
  RpcFailure,
} from './answer.js'
import type { HttpJson } from './http-json.js'
import { either, fields, list, type Scalar, type Shape, scalar, type ValueOf } from './json-shape.js'
import { askedWaitMs, askedWaitOfDataMs, isLimitingError } from './rate-refusal.js'
import { wordsIn } from './words.js'

/** Calls in the first batches. */
const BATCH_START = 8
const SMALLEST_BATCH = 2
/** Batches of one query that are in flight together. */
const PARALLEL_BATCHES = 2
/** The error code where a node gives none. */
const NO_CODE = 0

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
      .catch((error: unknown) => Promise.reject(this.withinHttp(error, isBatch)))
    const answers = isList(answer) ? (answer as readonly Answer<T>[]) : null
    // The answer to one request is that to its only call, whatever its id.
    if (!isBatch) return [this.resultOf(answers === null ? (answer as Answer<T>) : onlyOne(answers))]
    // A node that does not take the batch answers with one error instead of a list, or with one call alone.
    if (answers === null) throw this.refusalOf(answer as Answer<T>)
    // Some nodes return the numbers as texts.
    const byId = new Map(answers.map((each) => [String(each?.id), each]))
    if (answers.length !== calls.length || calls.some((_, i) => !byId.has(String(firstId + i)))) {
      throw new BatchRefused('it is not answered call by call')
    }
    return this.resultsOf(calls.map((_, i) => byId.get(String(firstId + i))))
  }

  /** Throws `PartlyRefused` when the node has refused some calls of a batch for its rate. */
  private resultsOf<T>(answers: readonly (Answer<T> | undefined)[]): readonly T[] {
    let refusal: RateLimited | null = null
    const results = answers.map((answer) => {
      try {
        return { value: this.resultOf(answer as Answer<T>) }
      } catch (error) {
        if (!(error instanceof RateLimited)) throw error
        refusal ??= error
        return null
      }
    })
    if (refusal !== null) throw new PartlyRefused(refusal, results)
    return results.map((result) => result?.value as T)
  }

  /** The error of the protocol in an answer that HTTP calls an error, too. */
  private withinHttp(error: unknown, isBatch: boolean): unknown {
    if (!(error instanceof HttpFailure)) return error
    const answer: unknown = Array.isArray(error.answer) ? error.answer[0] : error.answer
    const reported = isObject(answer) ? answer['error'] : undefined
    if (!isObject(reported) || typeof reported['code'] !== 'number') return error
    const failure = this.failureOf(reported)
    // The header says for how long, or the status that it is about the rate.
    if (limitOf(error) !== null) return error
    return isBatch && failure instanceof RpcFailure ? new BatchRefused(failure.message) : failure
  }

  private resultOf<T>(answer: Answer<T>): T {
    if (answer === null || answer === undefined) throw new BadAnswer('a call is not answered by an object')
    const { error, result, message, Error: text } = answer
    const isResult = result !== undefined && result !== null
    if (isError(error) && !(isResult && saysNothing(error))) throw this.failureOf(error)
    if (result !== undefined) return result
    const words = wordsIn(text) ?? wordsIn(message)
    if (words === null) throw new BadAnswer('a call has no answer')
    throw this.failureOf({ message: words })
  }

  private refusalOf(answer: Answer<unknown>): NodeFailure {
    if (answer === null || answer === undefined) return new BadAnswer('a call is not answered by an object')
    const { error, message, Error: text } = answer
    const failure = this.failureOf(isError(error) ? error : { message: text ?? message })
    if (failure instanceof RateLimited) return failure
    return new BatchRefused(isError(error) ? failure.message : 'it is answered by one result')
  }

  private failureOf(error: unknown): RateLimited | RpcFailure {
    const { code, message, data } = isObject(error) ? error : { message: error }
    const text = typeof message === 'string' ? message : 'no message'
    const number = typeof code === 'number' ? code : NO_CODE
    const shown = this.http.presentable(`error ${number}: ${text}`)
    if (!isLimitingError(number, text, data)) return new RpcFailure(number, shown)
    return new RateLimited(shown, askedWaitOfDataMs(data) ?? askedWaitMs(text))
  }
}

/** How a call is answered. Some gateways write their own errors beside the protocol. */
function answerOf<T>(result: Shape<T>) {
  return fields({ id: scalar, result, error: ERROR, message: scalar, Error: scalar })
}

const ERROR = either(
  fields({
    code: scalar,
    message: scalar,
    data: fields({ rate: fields({ backoff_seconds: scalar }) }),
  }),
  scalar,
)

type Answer<T> = ValueOf<ReturnType<typeof answerOf<T>>>

/** The answer to one call, or to as many as there are in a batch. */
function answersOf<T>(result: Shape<T>, max: number) {
  const one = answerOf(result)
  return either(list(one, max), one)
}

/** The answer in a list of one, in which some gateways wrap it. */
function onlyOne<T>(answers: readonly T[]): T | undefined {
  return answers.length === 1 ? answers[0] : undefined
}

function isList(answer: unknown): answer is readonly unknown[] {
  return Array.isArray(answer)
}

function isError(error: unknown): boolean {
  return error !== undefined && error !== null && error !== false
}

/** Some gateways write an error beside every result, which is the value of no error in their language. */
function saysNothing(error: unknown): boolean {
  if (!isObject(error)) return error === ''
  return error['message'] === '' && [0, null, undefined].includes(error['code'] as number | null | undefined)
}

/** The node refuses calls of a batch for its rate. */
class PartlyRefused extends RateLimited {
  constructor(
    refusal: RateLimited,
    /** The results of the calls in their order; null for those that were refused. */
    readonly results: readonly ({ readonly value: unknown } | null)[],
  ) {
    super(refusal.message, refusal.retryAfterMs)
  }
}

/** A batch as a whole is refused. */
class BatchRefused extends RpcFailure {
  constructor(message: string) {
    super(NO_CODE, `a batch: ${message}`)
  }
}
