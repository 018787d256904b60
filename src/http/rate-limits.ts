import type { Clock } from '../clock.js'
import { failure } from '../domain/failure.js'
import type { ClientOf } from './client-address.js'
import { failureAnswer } from './failure-response.js'
import { RateLimiter } from './rate-limiter.js'
import type { Route } from './router.js'

/** What clients call. Health checks and the gateway's pushes are the operator's own and are never limited. */
const LIMITED_PREFIXES = ['/api/', '/pay/']

const CLAIM_PREFIX = '/api/wallets/claim/'

export interface RateLimitSettings {
  /** Requests a minute for each client; 0 for no limit. */
  readonly requestsPerMinute: number
  /** Claims of wallets a minute for each client, which count as requests too; 0 for no limit. */
  readonly claimsPerMinute: number
  readonly clientOf: ClientOf
  readonly clock: Clock
}

/**
 * Lets routes answer 429 to a client that has used up its minute's worth of requests. Routes without a limit are handed
 * back as they are: what is off costs nothing.
 */
export function limitRates(routes: readonly Route[], settings: RateLimitSettings): Route[] {
  const { requestsPerMinute, claimsPerMinute, clientOf, clock } = settings
  const requests = requestsPerMinute === 0 ? null : new RateLimiter(requestsPerMinute, clock)
  const claims = claimsPerMinute === 0 ? null : new RateLimiter(claimsPerMinute, clock)
  return routes.map((route) => {
    const { pattern } = route
    const ofRequests = LIMITED_PREFIXES.some((prefix) => pattern.startsWith(prefix)) ? requests : null
    const ofClaims = pattern.startsWith(CLAIM_PREFIX) ? claims : null
    if (ofRequests === null && ofClaims === null) return route
    return {
      ...route,
      handle: (request, params) => {
        const { key } = clientOf(request)
        const waitSeconds = ofRequests?.take(key) || (request.method === 'HEAD' ? 0 : ofClaims?.take(key)) || 0
        if (waitSeconds === 0) return route.handle(request, params)
        return failureAnswer(failure('rate_limited'), { 'Retry-After': String(waitSeconds) })
      },
    }
  })
}
