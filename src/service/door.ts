import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { failure } from '../domain/failure.js'
import { browserRules } from '../http/guards/browsers.js'
import { type ClientOf, trustedPeer } from '../http/guards/client-address.js'
import { loopbackHosts } from '../http/guards/host-header.js'
import type { IsOwnOrigin } from '../http/guards/own-origin.js'
import { limitRequests } from '../http/guards/rate-limits.js'
import type { Admit, RouterHooks } from '../http/router.js'
import { HEALTH_PATHS } from '../http/routes/health.js'
import { PUSH_PATH } from '../http/routes/internal-events.js'
import { isExposed } from './exposure.js'
import { isLoopback } from './loopback.js'

/** Requests a minute from one address to a service that other machines can reach, unless a setting says otherwise. */
const RATE_LIMIT_WHEN_EXPOSED = 600

export interface DoorParts {
  readonly settings: Settings
  readonly clientOf: ClientOf
  readonly isOwnOrigin: IsOwnOrigin
  readonly clock: Clock
}

/** What judges requests by their heads alone, whatever route they are for: rate limit, `Host` header, browsers. */
export function doorOf({
  settings,
  clientOf,
  isOwnOrigin,
  clock,
}: DoorParts): Pick<RouterHooks, 'admit' | 'judgeBrowser'> {
  const limit = limitRequests({
    requestsPerMinute: settings.rateLimit ?? (isExposed(settings) ? RATE_LIMIT_WHEN_EXPOSED : 0),
    sparesLoopback: settings.rateLimit === undefined,
    // Without a gateway there is nobody whose pushes could be spared.
    uncounted: new Set(settings.gatewaySecret === undefined ? HEALTH_PATHS : [...HEALTH_PATHS, PUSH_PATH]),
    clientOf,
    clock,
  })
  const admit = inTurn(limit, hostRule(settings.host, settings))
  return {
    judgeBrowser: browserRules({ isOwnOrigin, corsOrigins: settings.corsOrigins }),
    ...(admit === undefined ? {} : { admit }),
  }
}

/** Refuses names that a listener on `host` is not known under; undefined where any name may be right. */
export function hostRule(
  host: string,
  { publicUrl, trustedProxies }: Pick<Settings, 'publicUrl' | 'trustedProxies'>,
): Admit | undefined {
  if (!isLoopback(host)) return undefined
  const accepts = loopbackHosts({ publicUrl, isProxied: trustedPeer(trustedProxies) })
  const wrongHost = { failure: failure('wrong_host') }
  return (head) => (accepts(head) ? null : wrongHost)
}

function inTurn(first: Admit | undefined, second: Admit | undefined): Admit | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return (head) => first(head) ?? second(head)
}
