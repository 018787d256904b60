import { isObject } from '../../base/json-object.js'
import { BadAnswer, HttpFailure, limitOf, type NodeFailure, RateLimited, RpcFailure } from './answer.js'
import { either, fields, list, type Shape, scalar, type ValueOf } from './json-shape.js'
import { askedWaitMs, askedWaitOfDataMs, isLimitingError } from './rate-refusal.js'
import { wordsIn } from './words.js'

/** The error code where a node gives none. */
const NO_CODE = 0

/** Reads the results of calls out of what a node answers. Throws a `NodeFailure` where it answers something else. */
export class RpcAnswers {
  /** `presentable` makes words of a node fit to be shown. */
  constructor(private readonly presentable: (words: string) => string) {}

  /** The results of calls, in order, of which the first has an id and each other the next one. */
  of<T>(answer: unknown, firstId: number, count: number): readonly T[] {
    const answers = isList(answer) ? (answer as readonly Answer<T>[]) : null
    // The answer to one request is that to its only call, whatever its id.
    if (count === 1) return [this.resultOf(answers === null ? (answer as Answer<T>) : onlyOne(answers))]
    // A node that does not take the batch answers with one error instead of a list, or with one call alone.
    if (answers === null) throw this.refusalOf(answer as Answer<T>)
    // Some nodes return the numbers as texts.
    const byId = new Map(answers.map((each) => [String(each?.id), each]))
    const ids = Array.from({ length: count }, (_, i) => String(firstId + i))
    if (answers.length !== count || ids.some((id) => !byId.has(id))) {
      throw new BatchRefused('it is not answered call by call')
    }
    return this.resultsOf(ids.map((id) => byId.get(id)))
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
  withinHttp(error: unknown, isBatch: boolean): unknown {
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
    const shown = this.presentable(`error ${number}: ${text}`)
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
export function answersOf<T>(result: Shape<T>, max: number) {
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
export class PartlyRefused extends RateLimited {
  constructor(
    refusal: RateLimited,
    /** The results of the calls in their order; null for those that were refused. */
    readonly results: readonly ({ readonly value: unknown } | null)[],
  ) {
    super(refusal.message, refusal.retryAfterMs)
  }
}

/** A batch as a whole is refused. */
export class BatchRefused extends RpcFailure {
  constructor(message: string) {
    super(NO_CODE, `a batch: ${message}`)
  }
}
