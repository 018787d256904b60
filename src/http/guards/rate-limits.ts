import type { Clock } from '../../clock.js'
import { failure } from '../../domain/failure.js'
import { failureAnswer } from '../failure-response.js'
import type { Admit, Route } from '../router.js'
import type { ClientOf } from './client-address.js'
import { RateLimiter } from './rate-limiter.js'

const CLAIM_PREFIX = '/api/wallets/claim/'

interface LimitParts {
  readonly clientOf: ClientOf
  readonly clock: Clock
}

export interface RequestLimitSettings extends LimitParts {
  /** Requests a minute for each client; 0 for no limit. */
  readonly requestsPerMinute: number
  /** Whether clients on this machine have no limit. */
  readonly sparesLoopback: boolean
  /** Paths that are never counted: health checks and the gateway's pushes are the operator's own. */
  readonly uncounted: ReadonlySet<string>
}

/**
 * Answers 429 to a client that has used up its minute's worth of requests. Every request counts, also to paths and with
 * methods that do not exist: it is judged before a route is looked for. Undefined without a limit.
 */
export function limitRequests(settings: RequestLimitSettings): Admit | undefined {
  const { requestsPerMinute, sparesLoopback, uncounted, clientOf, clock } = settings
  if (requestsPerMinute === 0) return undefined
  const limiter = new RateLimiter(requestsPerMinute, clock)
  return (head) => {
    if (uncounted.has(head.path)) return null
    const { key, isLoopback } = clientOf(head)
    if (isLoopback && sparesLoopback) return null
    const waitSeconds = limiter.take(key)
    if (waitSeconds === 0) return null
    return { failure: failure('rate_limited'), headers: { 'Retry-After': String(waitSeconds) } }
  }
}

export interface ClaimRateSettings extends LimitParts {
  /** Claims of wallets a minute for each client, which count as requests too; 0 for no limit. */
  readonly claimsPerMinute: number
}

/** Lets the routes of claims answer 429 to a client that has used up its minute's worth of them. HEAD claims nothing. */
export function limitClaimRates(routes: readonly Route[], settings: ClaimRateSettings): readonly Route[] {
  const { claimsPerMinute, clientOf, clock } = settings
  if (claimsPerMinute === 0) return routes
  const limiter = new RateLimiter(claimsPerMinute, clock)
  return routes.map((route) => {
    if (!route.pattern.startsWith(CLAIM_PREFIX)) return route
    return {
      ...route,
      handle: (request, params) => {
        const waitSeconds = request.method === 'HEAD' ? 0 : limiter.take(clientOf(request).key)
        if (waitSeconds === 0) return route.handle(request, params)
        return failureAnswer(failure('rate_limited'), { 'Retry-After': String(waitSeconds) })
      },
    }
  })
}
