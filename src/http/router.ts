import findMyWay from 'find-my-way'
import { MailboxFull } from '../actors/wallet-directory.js'
import { type Failure, failure } from '../domain/failure.js'
import { QueueFull, StorageUnavailable } from '../store/refusals.js'
import { type Endpoint, METHODS } from './endpoints.js'
import { type CorsOrigins, optionsAnswer, withCors } from './guards/browsers.js'
import { failureAnswer } from './json.js'
import type { Answer, HeadGuard, Refusal, Request, RequestHead, Resolve, Target } from './server.js'

/** The largest body that a route reads unless its endpoint says otherwise (decisions, 1). */
export const DEFAULT_BODY_LIMIT_BYTES = 65_536

/** The values of a pattern's parameters by name, percent-decoded, never empty. */
export type Params = Readonly<Record<string, string>>

/** An endpoint with its handler behind its guards; `guardedRoutes` makes them. */
export interface Route {
  /** GET answers HEAD too. */
  readonly method: (typeof METHODS)[number]
  /** `/api/users/:id/invoices`. */
  readonly pattern: string
  readonly endpoint: Endpoint
  /** They judge the head, in this order, before the body is read. */
  readonly guards: readonly HeadGuard[]
  /** Hears a request that a guard has refused, once its body is there, if that is small. */
  readonly overhear?: ((request: Request) => void) | null
  handle(request: Request, params: Params): Answer | Promise<Answer>
}

/** What is known of a request when its answer is ready. */
export interface FinishedRequest {
  readonly head: RequestHead
  readonly method: string
  /** The pattern of the route, which has few values; `undefined` if there was no route. */
  readonly pattern: string | undefined
  readonly status: number
  /** From the arrival of the head until the answer is ready to be sent. */
  readonly durationMs: number
}

/** Called with each finished request. It must be fast, and must not throw. */
export type ObserveRequest = (request: FinishedRequest) => void

/** When handlers begin. */
export interface HandlerTurns {
  /** Whether one may begin at once. */
  isFree(): boolean
  /** Calls `handle` when it is the client's turn; what that throws or rejects with is its own. */
  wait<T>(head: RequestHead, handle: () => T | Promise<T>): Promise<T>
}

export interface RouterHooks {
  /** Called when a handler threw or rejected: because of a defect, or because the service cannot serve it for now. */
  onError(error: unknown, head: RequestHead, isDefect: boolean): void
  /** Judge every request, in this order, before a route is looked for. */
  readonly admit?: readonly HeadGuard[]
  /** Called with every request that was answered, refusals included. Without any, nothing is measured. May change. */
  readonly observers?: readonly ObserveRequest[]
  /** The turns of requests that count in the limits per client. All begin at once if absent. */
  readonly turns?: HandlerTurns
  /** None if absent: no page of another origin may read an answer. */
  readonly corsOrigins?: CorsOrigins
  /** Changes an answer, a refusal included, before it is sent. */
  readonly present?: (answer: Answer, head: RequestHead) => Answer
}

/** Builds the table of `routes`. Throws if a pattern is malformed, or not unique for its method. */
export function createRouter(routes: readonly Route[], given: RouterHooks): Resolve {
  const hooks: Required<RouterHooks> = {
    admit: [],
    observers: [],
    corsOrigins: [],
    turns: { isFree: () => true, wait: async (_head, handle) => await handle() },
    present: (answer) => answer,
    ...given,
  }
  const table = findMyWay({
    caseSensitive: true,
    maxParamLength: Number.MAX_SAFE_INTEGER,
    // The table never sees a query.
    querystringParser: () => undefined,
  })
  for (const route of routes) table.on(route.method, route.pattern, () => undefined, route)
  table.compile()

  const find = (method: Route['method'], path: string): Found | undefined => {
    // The table would also take an absolute URL apart.
    if (!path.startsWith('/') || OUTSIDE_PATHS.test(path)) return undefined
    const found = table.find(method, path)
    if (found === null) return undefined
    const { params } = found
    if (!areGiven(params)) return undefined
    const route: Route = found.store
    return { route, params }
  }

  /** The answer to a request for which there is no route. */
  const answerWithoutRoute = (head: RequestHead): Answer => {
    const allowed: string[] = METHODS.filter((other) => find(other, head.path) !== undefined)
    if (allowed.length === 0) return failureAnswer(failure('not_found'))
    if (allowed.includes('GET')) allowed.push('HEAD')
    const allow = [...allowed, 'OPTIONS'].sort().join(', ')
    if (head.method === 'OPTIONS') return optionsAnswer(allow, head, hooks.corsOrigins)
    return failureAnswer(failure('method_not_allowed'), { Allow: allow })
  }

  return (head) => {
    const rejected = firstFailure(hooks.admit, head)
    if (rejected !== null) return new RoutedRequest(head, hooks, undefined, failureAnswer(rejected))
    const method = head.method === 'HEAD' ? 'GET' : head.method
    const found = isMethod(method) ? find(method, head.path) : undefined
    if (found === undefined) return new RoutedRequest(head, hooks, undefined, answerWithoutRoute(head))
    const { pattern, guards, overhear } = found.route
    const refused = firstFailure(guards, head)
    return refused === null
      ? new RoutedRequest(head, hooks, pattern, found)
      : new RoutedRequest(head, hooks, pattern, failureAnswer(refused), overhear)
  }
}

function firstFailure(guards: readonly HeadGuard[], head: RequestHead): Failure | null {
  for (const guard of guards) {
    const refused = guard(head)
    if (refused !== null) return refused
  }
  return null
}

/** False if one is empty: `/api/users//wallets` names no user, and `/api/invoices/` no invoice. */
function areGiven(params: Readonly<Record<string, string | undefined>>): params is Params {
  for (const name in params) {
    if (params[name] === undefined || params[name] === '') return false
  }
  return true
}

function isMethod(method: string): method is Route['method'] {
  return METHODS.some((known) => known === method)
}

/** The table would cut off what follows the first two; the third stands for invalid UTF-8 (`RequestHead`). */
const OUTSIDE_PATHS = /[?#\ufffd]/

/**
 * The failure to answer if the service cannot serve a request for the moment: the disk refuses writes, or a bounded
 * queue is full. Null for every other error, which is a defect.
 */
function unavailability(error: unknown): Failure | null {
  if (error instanceof StorageUnavailable) return failure('storage_unavailable')
  if (error instanceof MailboxFull || error instanceof QueueFull) return failure('overloaded')
  return null
}

/** For a client that has gone while its request waited: nobody reads it. */
const GONE = failureAnswer(failure('overloaded'))

interface Found {
  readonly route: Route
  readonly params: Params
}

class RoutedRequest implements Target {
  readonly bodyLimitBytes: number
  private readonly startedAt: number

  /**
   * `outcome` is an answer if the head decides already. The body is read all the same if it is small, so that the
   * connection can be used again.
   */
  constructor(
    private readonly head: RequestHead,
    private readonly hooks: Required<RouterHooks>,
    private readonly pattern: string | undefined,
    private readonly outcome: Found | Answer,
    private readonly overhear: Route['overhear'] = null,
  ) {
    const limitBytes = 'route' in outcome ? outcome.route.endpoint.bodyLimitBytes : undefined
    this.bodyLimitBytes = limitBytes ?? DEFAULT_BODY_LIMIT_BYTES
    this.startedAt = hooks.observers.length > 0 ? performance.now() : 0
  }

  handle(request: Request): Answer | Promise<Answer> {
    const { outcome } = this
    if ('status' in outcome) {
      this.overhear?.(request)
      return this.finish(outcome)
    }
    const { route, params } = outcome
    let answer: Answer | Promise<Answer>
    try {
      const { turns } = this.hooks
      // What counts for no client is the operator's, the gateway's or a health check.
      if (route.endpoint.counts === 'nothing' || turns.isFree()) answer = route.handle(request, params)
      else answer = turns.wait(request, () => (request.aborted ? GONE : route.handle(request, params)))
    } catch (error) {
      return this.fail(error)
    }
    if (!(answer instanceof Promise)) return this.finish(answer)
    return answer.then(
      (settled) => this.finish(settled),
      (error) => this.fail(error),
    )
  }

  refuse(code: Refusal): Answer {
    const { outcome } = this
    return this.finish('status' in outcome && code === 'body_too_large' ? outcome : failureAnswer(failure(code)))
  }

  private fail(error: unknown): Answer {
    const { hooks, head } = this
    const refusal = unavailability(error)
    hooks.onError(error, head, refusal === null)
    return this.finish(failureAnswer(refusal ?? failure('internal')))
  }

  private finish(answer: Answer): Answer {
    const { head, hooks } = this
    const { observers, corsOrigins } = hooks
    // A request that began without an observer has no beginning.
    if (observers.length > 0 && this.startedAt > 0) this.observe(answer.status)
    const shown = hooks.present(answer, head)
    return corsOrigins.length > 0 ? withCors(shown, head, corsOrigins) : shown
  }

  private observe(status: number): void {
    const { head, pattern, hooks } = this
    const durationMs = performance.now() - this.startedAt
    for (const observe of hooks.observers) observe({ head, method: head.method, pattern, status, durationMs })
  }
}
