import { demand, failedAt, HttpFailure, type NodeFailure, RateLimited, RpcFailure, UnfitNode } from '../node/answer.js'
import type { HttpJson } from '../node/http-json.js'
import { either, fields, items, type Scalar, type Shape, scalar, type ValueOf } from '../node/json-shape.js'
import { askedWaitMs, isLimitingText } from '../node/rate-refusal.js'

/** TRON's errors have no numbers. */
const NO_CODE = 0
/** What java-tron says when its configuration closes something, and what has to be changed there. */
const CLOSED: readonly (readonly [words: RegExp, change: string])[] = [
  [/unavailable due to config/i, 'remove it from node.disabledApi in the configuration of the node'],
  [/does not support constant/i, 'set vm.supportConstant = true in the configuration of the node'],
]
const LITE = /lite ?full ?node/i
const OPEN_LITE = 'set node.openHistoryQueryWhenLiteFN = true in its configuration, or use a node that keeps all blocks'

export type Parameters = Readonly<Record<string, unknown>>

type Shapes = Readonly<Record<string, Shape<unknown>>>
/** What was read of an object. */
type FieldsOf<S extends Shapes> = NonNullable<ValueOf<ReturnType<typeof fields<S>>>>

/** Queries the REST interface of a node. What the node says in words, in whatever form, is in the failure. */
export class TronApi {
  constructor(private readonly http: HttpJson) {}

  /** Fields of the object that answers. */
  object<S extends Shapes>(path: string, parameters: Parameters, shapes: S): Promise<FieldsOf<S>> {
    const shape = fields<S & { readonly Error: Shape<Scalar | undefined> }>({ ...shapes, Error: scalar })
    return this.http.pacer.call(async () => {
      const answer = await this.post(path, parameters, shape)
      demand(answer !== null && answer !== undefined, `${path}: the answer is not an object`)
      if (answer.Error !== undefined) throw failedAt(path, this.reported(path, answer.Error))
      return answer
    })
  }

  /** Takes the items of the list that answers, as they come. False when an object answers. */
  list<T>(path: string, parameters: Parameters, item: Shape<T>, take: (item: T) => void): Promise<boolean> {
    const all = items(item, () => ({ take, end: () => true as const }))
    return this.http.pacer.call(async () => {
      const answer = await this.post(path, parameters, either(all, fields({ Error: scalar })))
      if (answer === true) return true
      if (answer?.Error !== undefined) throw failedAt(path, this.reported(path, answer.Error))
      return false
    })
  }

  /** Words of a node, fit for a log. */
  presentable(text: string): string {
    return this.http.presentable(text)
  }

  private async post<T>(path: string, parameters: Parameters, shape: Shape<T>): Promise<T> {
    try {
      return await this.http.post(path, JSON.stringify(parameters), shape)
    } catch (error) {
      throw failedAt(path, error instanceof HttpFailure ? explained(path, error) : error)
    }
  }

  /** Errors, even of a node's own rate limit, come with HTTP status 200. */
  private reported(path: string, error: Scalar): NodeFailure {
    const words = typeof error === 'string' ? error : 'an error'
    const shown = `${path}: ${this.http.presentable(words)}`
    if (isLimitingText(words)) return new RateLimited(shown, askedWaitMs(words))
    return LITE.test(words) ? liteNode(shown) : new RpcFailure(NO_CODE, withAdvice(shown, words))
  }
}

/** The same failure with its path, and with what has to be changed at the node. */
function explained(path: string, failure: HttpFailure): NodeFailure {
  const { reason, message, status, said, retryAfterMs, answer } = failure
  if (said !== null && LITE.test(said)) return liteNode(`${path}: ${said}`)
  if (reason === 'connection') return failure
  const more = { ...(status === null ? {} : { status }), retryAfterMs, said, answer }
  return new HttpFailure(reason, withAdvice(`${path}: ${message}`, said ?? ''), more)
}

/** A lite node lacks old blocks, and unless it is told otherwise it does not give the new ones either. */
function liteNode(message: string): UnfitNode {
  return new UnfitNode('pruned', `${message}: ${OPEN_LITE}`)
}

function withAdvice(message: string, words: string): string {
  const change = CLOSED.find(([said]) => said.test(words))?.[1]
  return change === undefined ? message : `${message}: ${change}`
}
