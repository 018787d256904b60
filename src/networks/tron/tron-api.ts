import {
  BadAnswer,
  failedAt,
  HttpFailure,
  type NodeFailure,
  RateLimited,
  RpcFailure,
  UnfitNode,
} from '../node/answer.js'
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

/** Nodes report in `Error`. Gateways in front of them have other fields, a text alone, or a list. */
const said = either(scalar, fields({ message: scalar }))
const REPORT = { Error: said, error: said, message: said, msg: said }
type Report = Scalar | Partial<NonNullable<ValueOf<ReturnType<typeof fields<typeof REPORT>>>>>

/** A list that answers where none was asked for: only what its first item reports is read. */
class OtherList {
  constructor(readonly first: Report | undefined) {}
}
const otherList = items(either(scalar, fields(REPORT)), () => {
  let first: Report | undefined
  return {
    take(one, index) {
      if (index === 0) first = one
    },
    end: () => new OtherList(first),
  }
})

const WHOLE_LIST = Symbol('a list that was taken')

type Shapes = Readonly<Record<string, Shape<unknown>>>
/** What was read of an object. */
type FieldsOf<S extends Shapes> = NonNullable<ValueOf<ReturnType<typeof fields<S>>>>

/** Queries the REST interface of a node. What the node says in words, in whatever form, is in the failure. */
export class TronApi {
  constructor(private readonly http: HttpJson) {}

  /**
   * Fields of the object that answers. One without any of them is asked for once more: behind one address there may be several
   * machines, of which one is behind.
   */
  async object<S extends Shapes>(path: string, parameters: Parameters, shapes: S): Promise<FieldsOf<S>> {
    const answer = await this.objectOrNothing(path, parameters, shapes)
    return hasSome(answer, shapes) ? answer : await this.objectOrNothing(path, parameters, shapes)
  }

  /** The same where an object without any of the fields is nothing unusual. */
  objectOrNothing<S extends Shapes>(path: string, parameters: Parameters, shapes: S): Promise<FieldsOf<S>> {
    const shape = either(either(scalar, fields<S & typeof REPORT>({ ...REPORT, ...shapes })), otherList)
    return this.http.pacer.call(async () => {
      const answer = await this.post(path, parameters, shape)
      if (typeof answer === 'object' && answer !== null && !(answer instanceof OtherList)) {
        this.demandNoReport(path, hasSome(answer, shapes) ? { Error: answer.Error } : answer)
        return answer
      }
      this.demandNoReport(path, answer instanceof OtherList ? answer.first : answer)
      throw failedAt(path, new BadAnswer(`${path}: the answer is not an object`))
    })
  }

  /** Takes the items of the list that answers, as they come. False when an object answers. */
  list<T>(path: string, parameters: Parameters, item: Shape<T>, take: (item: T) => void): Promise<boolean> {
    const all = items(item, () => ({ take, end: (): typeof WHOLE_LIST => WHOLE_LIST }))
    return this.http.pacer.call(async () => {
      const answer = await this.post(path, parameters, either(either(scalar, fields(REPORT)), all))
      if (answer === WHOLE_LIST) return true
      this.demandNoReport(path, answer)
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
  private demandNoReport(path: string, report: Report | undefined): void {
    const words = wordsOfReport(report)
    if (words !== null) throw failedAt(path, this.reported(path, words))
  }

  private reported(path: string, words: string): NodeFailure {
    const shown = `${path}: ${this.http.presentable(words)}`
    if (isLimitingText(words)) return new RateLimited(shown, askedWaitMs(words))
    return LITE.test(words) ? liteNode(shown) : new RpcFailure(NO_CODE, withAdvice(shown, words))
  }
}

function hasSome(answer: Readonly<Record<string, unknown>>, shapes: Shapes): boolean {
  return Object.keys(shapes).some((name) => answer[name] !== undefined)
}

/** What an answer without contents says in words; null when it says nothing. */
function wordsOfReport(report: Report | undefined): string | null {
  if (typeof report !== 'object' || report === null) return typeof report === 'string' ? report : null
  for (const said of [report.Error, report.error, report.message, report.msg]) {
    if (said === undefined || said === null || said === false) continue
    const words = typeof said === 'object' ? said.message : said
    return typeof words === 'string' ? words : 'an error'
  }
  return null
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
