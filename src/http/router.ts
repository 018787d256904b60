import findMyWay from 'find-my-way'
import { type Failure, failure, fieldFailure } from '../domain/failure.js'
import { failureAnswer } from './failure-response.js'
import type { JudgeBrowser } from './guards/browsers.js'
import { type CorsSettings, optionsAnswer, withCors } from './guards/cors.js'
import { unknownParameter } from './query-parameters.js'
import type { Answer, Refusal, Request, RequestHead, Resolve, Target } from './server.js'

/** The largest body that a route reads unless it says otherwise (decisions, 1). */
export const DEFAULT_BODY_LIMIT_BYTES = 65_536

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** The values of a pattern's parameters by name, percent-decoded, never empty. */
export type Params = Readonly<Record<string, string>>

export interface Route {
  /** HEAD is answered by GET. */
  readonly method: (typeof METHODS)[number]
  /** `/api/users/:id/invoices`. */
  readonly pattern: string
  /** `DEFAULT_BODY_LIMIT_BYTES` when absent. */
  readonly bodyLimitBytes?: number
  /** What the head alone is refused for, null when nothing: asked before a body of `bodyLimitBytes` is taken in. */
  refuseHead?(head: RequestHead): Failure | null
  /**
   * The query parameters that it reads; every other one is refused (decisions 1). None when absent. `any`: those that it
   * does not read are ignored, because its links are followed by people.
   */
  readonly parameters?: readonly string[] | 'any'
  /**
   * The pages that may use it through a browser: the service's own and those of CORS origins, or all. `any` when absent for
   * GET, else `own`.
   */
  readonly pages?: 'own' | 'any'
  handle(request: Request, params: Params): Answer | Promise<Answer>
}

/** What is known of a request when its answer is ready to be sent. */
export interface FinishedRequest {
  readonly head: RequestHead
  readonly method: string
  /** The pattern of the route, `undefined` when none was chosen; unlike the path it has few values. */
  readonly pattern: string | undefined
  readonly status: number
  /** From the head's arrival to the answer, before it is sent: body, queues and handler included. */
  readonly durationMs: number
}

/** Hears of finished requests. It is called for each, so it must be quick, and must not throw. */
export interface FinishedHook {
  /** Milliseconds on a clock that does not jump. */
  now(): number
  observe(request: FinishedRequest): void
}

/** One hook that tells all of `hooks`, whose clocks are the same; none when there is none to tell. */
export function finishedHooks(hooks: readonly FinishedHook[]): Pick<RouterHooks, 'finished'> {
  const [first, ...others] = hooks
  if (first === undefined) return {}
  if (others.length === 0) return { finished: first }
  const observe = (request: FinishedRequest): void => {
    for (const hook of hooks) hook.observe(request)
  }
  return { finished: { now: () => first.now(), observe } }
}

/** A refusal before a route was chosen. */
export interface Turned {
  readonly failure: Failure
  readonly headers?: Readonly<Record<string, string>>
}

/** Judges a request by its head, before a route is looked for; null lets it pass. Must not throw. */
export type Admit = (head: RequestHead) => Turned | null

export interface RouterHooks {
  /** A handler threw or rejected: a defect. The client has been told nothing but `internal`. */
  onError(error: unknown, head: RequestHead): void
  /** What an error tells the client where it is no defect; null where it is one. */
  refusalOf?(error: unknown): Failure | null
  /** Hears of errors that are no defects. */
  onUnavailable?(error: unknown, head: RequestHead): void
  /** Judges every request, whatever its path. */
  readonly admit?: Admit
  /** Judges requests to routes that are not for every page. */
  readonly judgeBrowser?: JudgeBrowser
  /** Hears of every request that was answered, refusals included; what it costs is paid only when it is there. */
  readonly finished?: FinishedHook
  readonly cors?: CorsSettings
}

/** Builds the table of `routes`. A pattern that is not unique for its method, or malformed, throws. */
export function createRouter(routes: readonly Route[], hooks: RouterHooks): Resolve {
  const table = findMyWay({
    caseSensitive: true,
    maxParamLength: Number.MAX_SAFE_INTEGER,
    // The table never sees a query.
    querystringParser: () => undefined,
  })
  for (const route of routes) table.on(route.method, route.pattern, () => undefined, route)
  table.compile()

  const find = (method: Route['method'], path: string): { route: Route; params: Params } | undefined => {
    if (!isPlainPath(path)) return undefined
    const found = table.find(method, path)
    if (found === null) return undefined
    const { params } = found
    if (!areGiven(params)) return undefined
    const route: Route = found.store
    return { route, params }
  }

  return (head) => {
    const turned = hooks.admit?.(head) ?? null
    if (turned !== null) return FixedTarget.refusing(turned, undefined, head, hooks)
    const method = head.method === 'HEAD' ? 'GET' : head.method
    const found = isMethod(method) ? find(method, head.path) : undefined
    if (found !== undefined) {
      const flaw = flawFor(found.route, head, hooks)
      if (flaw !== null) return FixedTarget.refusing({ failure: flaw }, found.route.pattern, head, hooks)
      return new RouteTarget(found.route, found.params, head, hooks)
    }
    const allowed: string[] = METHODS.filter((other) => find(other, head.path) !== undefined)
    if (allowed.length === 0) return FixedTarget.refusing({ failure: failure('not_found') }, undefined, head, hooks)
    if (allowed.includes('GET')) allowed.push('HEAD')
    const allow = [...allowed, 'OPTIONS'].sort().join(', ')
    if (head.method === 'OPTIONS')
      return new FixedTarget(optionsAnswer(allow, head, hooks.cors), undefined, head, hooks)
    const wrongMethod = { failure: failure('method_not_allowed'), headers: { Allow: allow } }
    return FixedTarget.refusing(wrongMethod, undefined, head, hooks)
  }
}

/** What the head of a request to `route` is refused for; null when nothing. */
function flawFor(route: Route, head: RequestHead, { judgeBrowser }: RouterHooks): Failure | null {
  if (judgeBrowser !== undefined && (route.pages ?? (route.method === 'GET' ? 'any' : 'own')) === 'own') {
    const code = judgeBrowser(head)
    if (code !== null) return failure(code)
  }
  const { parameters = NO_PARAMETERS } = route
  const unknown = parameters === 'any' ? undefined : unknownParameter(head.query, parameters)
  if (unknown !== undefined) return fieldFailure('invalid_query', unknown, { parameter: unknown })
  return route.refuseHead?.(head) ?? null
}

const NO_PARAMETERS: readonly string[] = []

/** Empty ones are not: `/api/users//wallets` names no user, and `/api/invoices/` is not an invoice without a name. */
function areGiven(params: Readonly<Record<string, string | undefined>>): params is Params {
  for (const name in params) {
    if (params[name] === undefined || params[name] === '') return false
  }
  return true
}

function isMethod(method: string): method is Route['method'] {
  return METHODS.some((known) => known === method)
}

/** The table would cut off what follows the first two; the third stands for bytes that were no UTF-8 (`RequestHead`). */
const OUTSIDE_PATHS = /[?#\ufffd]/

/** Whether the table may be asked for `path`: it would also take an absolute URL apart. */
function isPlainPath(path: string): boolean {
  return path.startsWith('/') && !OUTSIDE_PATHS.test(path)
}

/** One request on its way through the hooks. Nothing of it is shared with another. */
abstract class HookedTarget implements Target {
  abstract readonly bodyLimitBytes: number
  protected abstract readonly pattern: string | undefined
  private readonly startedAt: number

  constructor(
    protected readonly head: RequestHead,
    protected readonly hooks: RouterHooks,
  ) {
    this.startedAt = hooks.finished === undefined ? 0 : hooks.finished.now()
  }

  abstract handle(request: Request): Answer | Promise<Answer>

  refuse(code: Refusal): Answer {
    return this.finish(failureAnswer(failure(code)))
  }

  protected finish(answer: Answer): Answer {
    const { cors, finished } = this.hooks
    finished?.observe({
      head: this.head,
      method: this.head.method,
      pattern: this.pattern,
      status: answer.status,
      durationMs: finished.now() - this.startedAt,
    })
    return cors === undefined ? answer : withCors(answer, this.head, cors)
  }
}

class RouteTarget extends HookedTarget {
  readonly bodyLimitBytes: number
  protected readonly pattern: string

  constructor(
    private readonly route: Route,
    private readonly params: Params,
    head: RequestHead,
    hooks: RouterHooks,
  ) {
    super(head, hooks)
    this.bodyLimitBytes = route.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES
    this.pattern = route.pattern
  }

  handle(request: Request): Answer | Promise<Answer> {
    let answer: Answer | Promise<Answer>
    try {
      answer = this.route.handle(request, this.params)
    } catch (error) {
      return this.fail(error)
    }
    if (!(answer instanceof Promise)) return this.finish(answer)
    return answer.then(
      (settled) => this.finish(settled),
      (error) => this.fail(error),
    )
  }

  private fail(error: unknown): Answer {
    const { hooks, head } = this
    const refusal = hooks.refusalOf?.(error) ?? null
    if (refusal === null) hooks.onError(error, head)
    else hooks.onUnavailable?.(error, head)
    return this.finish(failureAnswer(refusal ?? failure('internal')))
  }
}

/** The answer does not depend on the body, which is still read when it is small, so that the connection can go on. */
class FixedTarget extends HookedTarget {
  readonly bodyLimitBytes = DEFAULT_BODY_LIMIT_BYTES

  constructor(
    private readonly answer: Answer,
    protected readonly pattern: string | undefined,
    head: RequestHead,
    hooks: RouterHooks,
  ) {
    super(head, hooks)
  }

  static refusing(turned: Turned, pattern: string | undefined, head: RequestHead, hooks: RouterHooks): FixedTarget {
    return new FixedTarget(failureAnswer(turned.failure, turned.headers), pattern, head, hooks)
  }

  handle(): Answer {
    return this.finish(this.answer)
  }

  override refuse(code: Refusal): Answer {
    return code === 'body_too_large' ? this.finish(this.answer) : super.refuse(code)
  }
}
